// What a child process runs: it takes one program from the host, runs it once, and
// tells the host how it ended. It is trusted; the program that it loads is not.
//
// All that is used after the program was loaded is kept here before: a program may
// change every object of the language. What the host reads does not depend on this
// file alone; it takes every frame for what a hostile program might have written.

const { apply } = Reflect;
const { defineProperty, freeze, create, getOwnPropertyDescriptor, getPrototypeOf } =
  Object;
const { stringify, parse } = JSON;
const uncurried = (method) => (self, first, second) => apply(method, self, [first, second]);
const getterOf = (owner, name) => {
  const { get } = getOwnPropertyDescriptor(owner, name);
  return (self) => apply(get, self, []);
};
const { Promise, Error, TypeError, Uint8Array, Map, Set, WeakMap, WeakSet, ArrayBuffer } =
  globalThis;
const { SharedArrayBuffer, RegExp, String, Iterator, BigInt } = globalThis;
const { isSafeInteger } = Number;
const { isView } = ArrayBuffer;
const { isArray } = Array;
const isBehind = uncurried(Object.prototype.isPrototypeOf);
const AsyncIterator = getPrototypeOf(getPrototypeOf((async function* () {}).prototype));
const isAsyncIterator = (value) => isBehind(AsyncIterator, value);
const indexOf = uncurried(String.prototype.indexOf);
const slice = uncurried(String.prototype.slice);
const errorText = uncurried(Error.prototype.toString);
const byteLength = getterOf(getPrototypeOf(Uint8Array.prototype), "byteLength");
const bufferOf = getterOf(getPrototypeOf(Uint8Array.prototype), "buffer");
const encode = uncurried(TextEncoder.prototype.encode);
const decode = uncurried(TextDecoder.prototype.decode);
const { inspect, exit, stdin, stdout } = Deno;
const core = Deno[Deno.internal].core;
const { setUnhandledPromiseRejectionHandler, setReportExceptionCallback } = core;
const { createTimer, cancelTimer } = core;
const read = stdin.read.bind(stdin);
const write = stdout.writeSync.bind(stdout);
const encoder = new TextEncoder();
const STREAM = freeze({ __proto__: null, stream: true });
const READABLE = freeze({ __proto__: null, depth: 6, strAbbreviateSize: 10_000 });
const ON_ONE_LINE = freeze({ __proto__: null, ...READABLE, breakLength: Infinity });

const LONGEST_REASON = 4000; // characters
const LONGEST_INPUT = 2 * 1024 * 1024; // characters of the input of another tool
const LONGEST_KEY = 60; // characters of it in a place
const LONGEST_PLACE = 400; // characters
const DEEPEST = 128; // levels of a result

// What is left to a program: the language's own objects, and a few more.
const LEFT = new Set(
  `Object Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol
  Date Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError
  TypeError URIError SuppressedError globalThis JSON Math Intl ArrayBuffer Atomics
  SharedArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array
  BigUint64Array BigInt64Array Uint8ClampedArray Float16Array Float32Array Float64Array
  DataView Map BigInt Set Iterator WeakMap WeakSet WeakRef FinalizationRegistry Proxy
  Reflect Temporal DisposableStack AsyncDisposableStack decodeURI decodeURIComponent
  encodeURI encodeURIComponent escape unescape isFinite isNaN queueMicrotask
  URL URLSearchParams TextEncoder TextDecoder structuredClone atob btoa crypto
  AbortController AbortSignal DOMException`.split(/\s+/),
);

// ------------------------------------------------------------------- the host
let nonce = "";

function writeAll(bytes) {
  const buffer = bufferOf(bytes);
  const size = byteLength(bytes);
  let done = 0;
  while (done < size) {
    done += write(new Uint8Array(buffer, done, size - done));
  }
}

function send(kind, text) {
  const body = encode(encoder, text);
  writeAll(encode(encoder, `${nonce} ${kind} ${byteLength(body)}\n`));
  writeAll(body);
}

function cut(text, most) {
  return text.length > most ? `${slice(text, 0, most)}…` : text;
}

function readable(value, options = READABLE) {
  try {
    return inspect(value, options);
  } catch {
    return "a value that cannot be shown";
  }
}

function fail(error) {
  let said, stack;
  try {
    const isError = error instanceof Error;
    said = isError ? errorText(error) : readable(error, ON_ONE_LINE);
    stack = isError && typeof error.stack === "string" ? error.stack : "";
    // what it says of itself may look like calls
    if (indexOf(stack, said) === 0) stack = slice(stack, said.length);
    if (isError && error.name === "ToolError") {
      said = `ToolError: ${error.code}: ${error.message}`;
    }
    if (typeof said !== "string") said = "an error that cannot be read";
  } catch {
    said = "an error that cannot be read";
    stack = "";
  }
  const shown = stringify(cut(said, LONGEST_REASON));
  send("failed", `[${shown},${stringify(cut(stack, LONGEST_REASON))}]`);
}

// -------------------------------------------------------------- other tools
const waiting = create(null);
let calls = 0;

function refusal(code, message) {
  const error = new Error(message);
  const own = (value) => ({ __proto__: null, value, enumerable: false, writable: true });
  defineProperty(error, "name", own("ToolError"));
  defineProperty(error, "code", own(code));
  return error;
}

function call(toolId, input) {
  return new Promise((resolve, reject) => {
    const named = typeof toolId === "string" ? stringify(toolId) : "null";
    const given = stringify(input);
    const body = given === undefined ? "null" : given;
    if (body.length > LONGEST_INPUT) {
      reject(refusal("INVALID_INPUT", "the input of the tool is too large"));
      return;
    }
    const id = ++calls;
    waiting[id] = { __proto__: null, resolve, reject };
    send("call", `[${id},${named},${body}]`);
  });
}

// A whole number that would become another one arrives as a BigInt (ST-42).
function exact(_key, value, { source }) {
  if (typeof value !== "number" || isSafeInteger(value)) return value;
  const isWhole = indexOf(source, ".") < 0 && indexOf(source, "e") < 0;
  return isWhole ? BigInt(source) : value;
}

function settle(line) {
  const answer = parse(line);
  const one = waiting[answer.id];
  if (one === undefined) return;
  delete waiting[answer.id];
  if (answer.code !== null) {
    one.reject(refusal(answer.code, answer.value));
    return;
  }
  let { value } = answer;
  try { // Python writes deeper values than can be walked here
    if (answer.isLong) value = parse(line, exact).value;
  } catch {
    one.reject(refusal("EXECUTION_FAILED", "the answer is nested too deeply"));
    return;
  }
  one.resolve(value);
}

async function listen(pending) {
  const decoder = new TextDecoder();
  const buffer = new ArrayBuffer(65_536);
  const all = new Uint8Array(buffer);
  for (;;) {
    const count = await read(all);
    if (count === null) exit(1); // the host is gone
    pending += decode(decoder, new Uint8Array(buffer, 0, count), STREAM);
    for (let end = indexOf(pending, "\n"); end >= 0; end = indexOf(pending, "\n")) {
      const line = slice(pending, 0, end);
      pending = slice(pending, end + 1);
      settle(line);
    }
  }
}

// ---------------------------------------------------------------- the result
// Says what a value is that no JSON stands for, null where there is one.
function oddKind(value) {
  const kind = typeof value;
  if (kind === "bigint") return "a BigInt";
  if (kind === "function" || kind === "symbol") return `a ${kind}`;
  if (kind !== "object" || value === null) return null;
  if (value instanceof Map) return "a Map";
  if (value instanceof Set) return "a Set";
  if (value instanceof WeakMap || value instanceof WeakSet) return "a weak collection";
  if (value instanceof Promise) return "a Promise";
  if (value instanceof RegExp) return "a RegExp";
  if (value instanceof Iterator || isAsyncIterator(value)) return "a generator";
  if (isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
    return "bytes";
  }
  return null;
}

// Gives the JSON of a result, or what is in it that JSON cannot hold, and where.
function asJson(result) {
  const above = create(null); // from level 1 on, the result: what holds what comes now
  const keys = create(null); // under which key it does
  let odd = null;
  function levelOf(holder) {
    for (let n = 1; above[n] !== undefined; n++) if (above[n] === holder) return n;
    return 0;
  }
  function refuse(kind, level) {
    let place = "";
    for (let n = 1; n <= level && place.length < LONGEST_PLACE; n++) {
      const key = keys[n];
      place += isArray(above[n]) ? `[${key}]` : `[${stringify(cut(key, LONGEST_KEY))}]`;
    }
    odd = level === 0 ? kind : `${kind} at result${cut(place, LONGEST_PLACE)}`;
    throw odd;
  }
  function look(key, value) {
    const kind = oddKind(value);
    const isHolder = typeof value === "object" && value !== null;
    if (kind === null && !isHolder) return value;
    const level = levelOf(this);
    keys[level] = key;
    if (kind !== null) refuse(kind, level);
    for (let n = 1; n <= level; n++) {
      const name = isArray(value) ? "array" : "object";
      if (above[n] === value) refuse(`a cycle (an ${name} that holds itself)`, level);
    }
    if (level === DEEPEST) refuse(`values nested deeper than ${DEEPEST} levels`, 0);
    above[level + 1] = value;
    return value;
  }
  try {
    return [stringify(result, look, 2), null];
  } catch (error) {
    if (odd !== null) return [null, odd];
    throw error;
  }
}

function report(result, most) {
  if (typeof result === "string") {
    finish("text", result, most);
    return;
  }
  const [text, odd] = result === undefined ? ["null", null] : asJson(result);
  if (odd !== null) send("odd", odd);
  else finish("json", text === undefined ? "null" : text, most);
}

function finish(kind, text, most) {
  const size = text.length > most ? text.length : byteLength(encode(encoder, text));
  if (size > most) send("long", `${size}`);
  else send(kind, text);
}

// --------------------------------------------------------------- the console
function makeConsole(left) {
  const counts = create(null);
  let margin = "";
  function print(...given) {
    if (left <= 0) return;
    let line = margin;
    for (let n = 0; n < given.length; n++) {
      const shown = typeof given[n] === "string" ? given[n] : readable(given[n]);
      line += (n > 0 ? " " : "") + cut(shown, left);
    }
    line += "\n";
    left -= byteLength(encode(encoder, line));
    send("printed", line);
  }
  const label = (given) => (typeof given === "string" ? given : "default");
  const nothing = () => {};
  return {
    log: print, info: print, debug: print, warn: print, error: print, trace: print,
    dir: (value) => print(value), dirxml: print, table: (value) => print(value),
    assert(isTrue, ...given) {
      if (!isTrue) apply(print, undefined, ["Assertion failed", ...given]);
    },
    group(...given) {
      if (given.length > 0) apply(print, undefined, given);
      margin = cut(`${margin}  `, 40);
    },
    groupCollapsed: nothing,
    groupEnd() {
      margin = slice(margin, 2);
    },
    count(name) {
      const key = `_${label(name)}`;
      counts[key] = (counts[key] ?? 0) + 1;
      print(`${label(name)}: ${counts[key]}`);
    },
    countReset(name) {
      delete counts[`_${label(name)}`];
    },
    time: nothing, timeLog: nothing, timeEnd: nothing, clear: nothing,
  };
}

// ---------------------------------------------------------------- the timers
// The ones of the global object take as long to load as all else together.
function makeTimers() {
  const running = create(null);
  let last = 0;
  const starting = (isRepeated) => (callback, delay, ...given) => {
    if (typeof callback !== "function") throw new TypeError("a timer takes a function");
    const id = ++last;
    const ring = () => {
      if (!isRepeated) delete running[id];
      apply(callback, undefined, given);
    };
    running[id] = createTimer(ring, +delay || 0, undefined, isRepeated, true);
    return id;
  };
  const stop = (id) => {
    if (typeof id !== "number" || running[id] === undefined) return;
    cancelTimer(running[id]);
    delete running[id];
  };
  return {
    setTimeout: starting(false),
    setInterval: starting(true),
    clearTimeout: stop,
    clearInterval: stop,
  };
}

// ------------------------------------------------------------------ the walls
function build(address, mostPrinted) {
  const timers = makeTimers();
  // Deno's own way, events of the global object, needs methods on it
  setUnhandledPromiseRejectionHandler((_promise, reason) => {
    fail(reason);
    return true;
  });
  setReportExceptionCallback(fail);
  for (const key of Reflect.ownKeys(globalThis)) {
    if (LEFT.has(key)) continue;
    if (!Reflect.deleteProperty(globalThis, key)) globalThis[key] = undefined;
  }
  Object.setPrototypeOf(globalThis, Object.prototype);
  delete URL.createObjectURL;
  delete URL.revokeObjectURL;
  const put = (name, value) =>
    defineProperty(globalThis, name, { value, writable: true, configurable: true });
  put("console", makeConsole(mostPrinted));
  for (const name of Object.keys(timers)) put(name, timers[name]);
  const lock = (owner, name) =>
    defineProperty(owner, name, { configurable: false, ...("value" in
      getOwnPropertyDescriptor(owner, name) ? { writable: false } : {}) });
  // what awaiting a promise of ours looks at
  lock(Promise, Symbol.species);
  lock(Promise.prototype, "constructor");
  lock(Promise.prototype, "then");
  defineProperty(Error, "prepareStackTrace", {
    get: () => (error, frames) => stackText(error, frames, address),
    set: () => {},
    configurable: false,
  });
}

function stackText(error, frames, address) {
  let text;
  try {
    text = errorText(error);
  } catch {
    text = "Error";
  }
  for (let n = 0; n < frames.length; n++) {
    const frame = frames[n];
    if (frame.getFileName() !== address) continue; // of this file, or of Deno
    const name = frame.getFunctionName();
    const spot = `tool.ts:${frame.getLineNumber()}:${frame.getColumnNumber()}`;
    text += name ? `\n    at ${name} (${spot})` : `\n    at ${spot}`;
  }
  return text;
}

// -------------------------------------------------------------------- the run
function firstLine() {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const bytes = new Uint8Array(65_536); // its own: it holds the nonce
    const count = stdin.readSync(bytes);
    if (count === null) exit(0); // nothing to do
    text += decoder.decode(bytes.subarray(0, count), STREAM);
    const end = text.indexOf("\n");
    if (end >= 0) return [text.slice(0, end), text.slice(end + 1)];
  }
}

async function main() {
  const [line, rest] = firstLine();
  const order = JSON.parse(line);
  nonce = order.nonce;
  const { source, input, mostOutput, mostPrinted } = order;
  const address = URL.createObjectURL(
    new Blob([source], { type: "application/typescript" }),
  );
  const sdk = freeze({
    __proto__: null,
    tools: freeze({ __proto__: null, call: freeze(call) }),
  });
  build(address, mostPrinted);
  listen(rest);
  try {
    const entry = (await import(address)).default;
    if (typeof entry !== "function") {
      send("entry", "");
      return;
    }
    report(await entry(input, sdk), mostOutput);
  } catch (error) {
    fail(error);
  }
}

main();
await new Promise(() => {}); // the host ends this process; it never ends itself
