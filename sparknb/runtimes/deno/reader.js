// Reads TypeScript sources for the host and says what is wrong with them. A source is
// parsed, by the parser that also compiles it, and never run. Deno gives its parser to
// plugins of its linter, and to those only while a test file is loaded: this is one.

const { stdin, stdout, lint } = Deno;
const encoder = new TextEncoder();

const MOST = 100; // problems of one source
const IMPORTS = {
  ImportDeclaration: "an import declaration",
  ImportExpression: "import()",
  TSImportType: "an import type",
  TSImportEqualsDeclaration: "an import declaration",
  ExportAllDeclaration: "an export from another module",
};
const NO_FUNCTION = new Set([
  "Literal", "ObjectExpression", "ArrayExpression", "TemplateLiteral",
  "ClassDeclaration", "ClassExpression", "BinaryExpression", "UnaryExpression",
  "UpdateExpression", "NewExpression", "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration", "TSEnumDeclaration", "TSModuleDeclaration",
]);
const WRAPPERS = new Set([
  "TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression", "TSTypeAssertion",
  "ParenthesizedExpression", "ChainExpression", "TSInstantiationExpression",
]);
const WORD = /(?<![\p{ID_Continue}$\u200c\u200d])import(?![\p{ID_Continue}$\u200c\u200d])/gu;
const LOADING = [
  [/^\/\s*<reference\b/, "a reference comment"],
  [/^\s*\*?\s*@(deno|ts)-types\b/, "a types comment"],
  [/@jsxImportSource/i, "a JSX import source"],
];
const MAP = /source(Mapping)?URL/gi;

function unwrapped(node) {
  while (node && WRAPPERS.has(node.type)) node = node.expression;
  return node;
}

// ----------------------------------------------------------------- the imports
function importVisitors(tell) {
  const visitors = {};
  for (const [type, what] of Object.entries(IMPORTS)) {
    visitors[type] = (node) => tell(node.range[0], what);
  }
  visitors.ExportNamedDeclaration = (node) => {
    if (node.source) tell(node.range[0], "an export from another module");
  };
  visitors.MetaProperty = (node) => {
    if (node.meta?.name !== "new") tell(node.range[0], "import.meta");
  };
  visitors.CallExpression = (node) => {
    const callee = unwrapped(node.callee);
    if (callee?.type === "Identifier" && callee.name === "require") {
      tell(node.range[0], "require()");
    }
  };
  return visitors;
}

// A word `import` must lie in a string, a comment or a name. All others are refused,
// also where the walk through the tree has not come by.
function wordVisitors(covered, names) {
  const cover = ({ range: [start, end] }) => covered.push([start, end]);
  const name = (node) => names.add(node.range[0]);
  return {
    Literal: cover,
    TemplateElement: ({ range: [start, end] }) => covered.push([start - 1, end]),
    Identifier: (node) => node.name === "import" && name(node),
    PrivateIdentifier: (node) => names.add(node.range[0] + 1),
  };
}

function strayWords(text, covered, names) {
  const found = [];
  const spans = covered.toSorted(([one], [other]) => one - other); // none in another
  let next = 0;
  for (const match of text.matchAll(WORD)) {
    const at = match.index;
    while (next < spans.length && spans[next][1] <= at) next += 1;
    const isCovered = next < spans.length && spans[next][0] < at;
    if (!isCovered && !names.has(at)) found.push(at);
  }
  return found;
}

// ------------------------------------------------------------------ the entry
function mayBeFunction(node, bound, seen = new Set()) {
  node = unwrapped(node);
  if (!node || NO_FUNCTION.has(node.type)) return false;
  if (node.type !== "Identifier") return true;
  if (seen.has(node.name)) return false;
  seen.add(node.name);
  const found = bound.get(node.name);
  if (found === undefined) return false;
  return found === null || mayBeFunction(found, bound, seen);
}

// Gives what top-level names stand for: a node, or null for what cannot be told.
function bindings(body) {
  const bound = new Map();
  for (const statement of body) {
    const isExport = statement.type.startsWith("Export");
    const node = isExport ? statement.declaration : statement;
    if (!node) continue;
    if (node.type === "VariableDeclaration") {
      for (const { id, init } of node.declarations) {
        for (const name of patternNames(id)) {
          const isPlain = id.type === "Identifier" && node.kind === "const" && init;
          bound.set(name, isPlain ? init : null);
        }
      }
    } else if (node.id?.name !== undefined) {
      const before = bound.get(node.id.name);
      if (!before || NO_FUNCTION.has(before.type)) bound.set(node.id.name, node);
    }
  }
  return bound;
}

function patternNames(node) {
  switch (node?.type) {
    case "Identifier": return [node.name];
    case "ObjectPattern":
      return node.properties.flatMap((each) => patternNames(each.value ?? each.argument));
    case "ArrayPattern": return node.elements.flatMap(patternNames);
    case "AssignmentPattern": return patternNames(node.left);
    case "RestElement": return patternNames(node.argument);
    default: return [];
  }
}

const nameOf = (node) => node?.name ?? node?.value;

// Gives the default exports: where each stands, and whether it may be a function.
function defaults(body) {
  const bound = bindings(body);
  const found = [];
  for (const node of body) {
    if (node.type === "ExportDefaultDeclaration") {
      found.push([node.range[0], mayBeFunction(node.declaration, bound)]);
    }
    if (node.type !== "ExportNamedDeclaration" || node.exportKind === "type") continue;
    for (const each of node.specifiers ?? []) {
      if (nameOf(each.exported) === "default") {
        found.push([each.range[0], mayBeFunction(each.local, bound)]);
      }
    }
  }
  return found;
}

// ------------------------------------------------------------------ the answer
function problemsOf(text) {
  const problems = [];
  const blanks = [];
  const covered = [];
  const names = new Set();
  const assigned = []; // where an `export =` stands, which no module may have
  let body = null;
  const at = (offset) => {
    const before = text.slice(0, offset);
    const start = before.lastIndexOf("\n") + 1;
    return [before.split("\n").length, [...before.slice(start)].length + 1];
  };
  const refuse = (offset, what) => {
    if (problems.length < MOST) problems.push(["CODE_IMPORT", what, ...at(offset)]);
  };
  const hasWord = text.search(WORD) >= 0;
  const create = (context) => ({
    Program: (node) => {
      body = node.body;
      for (const comment of context.sourceCode.getAllComments()) {
        covered.push(comment.range);
        const what = LOADING.find(([pattern]) => pattern.test(comment.value));
        if (what) refuse(comment.range[0], what[1]);
        const said = text.slice(...comment.range);
        for (const { index } of said.matchAll(MAP)) {
          blanks.push(comment.range[0] + index); // in the order of the text
        }
      }
    },
    TSExportAssignment: (node) => assigned.push(node.range[0]),
    "Program:exit": (node) => {
      for (const offset of assigned.slice(0, MOST - problems.length)) {
        problems.push(["CODE_ENTRY", "assigned", ...at(offset)]);
      }
      const found = defaults(node.body);
      if (found.length === 0 && assigned.length > 0) return;
      if (!found.some(([, isFunction]) => isFunction)) {
        const [what, offset] = found.length > 0
          ? ["other", found[0][0]]
          : ["none", node.body[0]?.range[0] ?? 0];
        problems.push(["CODE_ENTRY", what, ...at(offset)]);
      }
    },
    ...importVisitors(refuse),
    ...(hasWord ? wordVisitors(covered, names) : {}),
  });
  const plugin = { name: "sparknb", rules: { source: { create } } };
  lint.runPlugin(plugin, "tool.ts", text);
  if (body === null) throw new Error("the parser gave nothing");
  const known = new Set(problems.map((each) => `${each[2]}:${each[3]}`));
  for (const offset of hasWord ? strayWords(text, covered, names) : []) {
    if (problems.length >= MOST) break;
    const [line, column] = at(offset);
    if (!known.has(`${line}:${column}`)) refuse(offset, "the word import");
  }
  return { problems, blanks };
}

// The linter overlooks errors that its parser can go on after, and it does not know
// those of the engine. So a source that is a module and loads nothing is compiled and
// linked as well.
// It is not run: it is the second module that another one imports, and the first one
// throws, so that none after it is evaluated.
const STOP = "sparknb stop";
const asModule = (text) =>
  URL.createObjectURL(new Blob([text], { type: "application/typescript" }));
const stopper = asModule(`throw ${JSON.stringify(STOP)};`);

async function compilationError(text) {
  const address = asModule(text);
  const both = asModule(
    `import ${JSON.stringify(stopper)}; import ${JSON.stringify(address)};`,
  );
  try {
    await import(both);
  } catch (error) {
    return error === STOP ? null : error;
  } finally {
    URL.revokeObjectURL(address);
    URL.revokeObjectURL(both);
  }
  throw new Error("a module was run");
}

function syntaxProblem(error) {
  const said = String(error.message).replace(/^(SyntaxError: )+/, "");
  const where = /(?:tool\.ts|blob:null\/[0-9a-f-]+):(\d+):(\d+)/;
  const place = where.exec(said) ?? where.exec(String(error.stack));
  const reason = said.split("\n", 1)[0].replace(/ at blob:\S+$/, "");
  const spot = place ? [Number(place[1]), Number(place[2])] : [null, null];
  return ["CODE_SYNTAX", reason.slice(0, 500), ...spot];
}

// Gives the source without the words that make a comment name a map of sources: Deno
// opens what they name.
function withoutMaps(text, blanks) {
  let rest = 0;
  let clean = "";
  for (const at of blanks) {
    clean += `${text.slice(rest, at)}_`;
    rest = at + 1;
  }
  return clean + text.slice(rest);
}

async function answerTo(text) {
  let found;
  try {
    found = problemsOf(text);
  } catch (error) {
    return { problems: [syntaxProblem(error)], source: null };
  }
  const { problems, blanks } = found;
  const source = withoutMaps(text, blanks);
  const isForeign = ([code, what]) => code === "CODE_IMPORT" || what === "assigned";
  if (!problems.some(isForeign)) { // what is compiled says those again, elsewhere
    const error = await compilationError(source);
    if (error !== null) problems.unshift(syntaxProblem(error));
  }
  return { problems: problems.slice(0, MOST), source: blanks.length > 0 ? source : null };
}

function write(text) {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(stdout.writeSync(bytes));
}

const decoder = new TextDecoder();
const buffer = new Uint8Array(65_536);
let pending = "";
write("sparknb ready\n");
for (let count = await stdin.read(buffer); count !== null; count = await stdin.read(buffer)) {
  pending += decoder.decode(buffer.subarray(0, count), { stream: true });
  for (let end = pending.indexOf("\n"); end >= 0; end = pending.indexOf("\n")) {
    const order = JSON.parse(pending.slice(0, end));
    pending = pending.slice(end + 1);
    const answer = await answerTo(order.source);
    write(`sparknb answer ${JSON.stringify(answer)}\n`);
  }
}
