"""Commands as people write them, one a line; @@ stands for the recorder's origin."""

__all__ = ["FAITHFUL", "MODES"]

# Each is sent by curl and imported by us; what differs has a notice.
FAITHFUL = tuple(
    line
    for line in r"""
curl @@?x=1
curl @@/p?
curl @@/p?#f
curl '@@/a/b/../c/./d'
curl '@@/a//b/..//c'
curl '@@/..'
curl '@@/a/b/..'
curl '@@/a/b/.'
curl '@@/caf\xc3é?q=ü'
curl '@@/a\b'
curl '@@/a"b<c>|^`'
curl -g '@@/a[1]{b}?c[d]=1'
curl '@@/a\[1\]?x\{y\}'
curl '@@/x?a=1&a=2&b&c=&=d&&e'
curl -G @@/x -d a=1 -d 'b=2'
curl -G '@@/x?z=1' -d a=1
curl -G '@@/x?' -d a=1
curl -G '@@/x?z=1&' -d a=1
curl -G '@@/x#frag' -d a=1
curl -G @@/x -d 'a=b#c'
curl -G @@/x -d ''
curl -G '@@/x?z=1' -d ''
curl -G @@/x --data-urlencode 'a=b c/d?e&f=g%h+i~j*k(l)'
curl -G @@/x --data-urlencode 'ü=ü'
curl -G @@/x -d 'q=%2F%3a'
curl -G @@/x -d 'q=ü'
curl -G @@/x -d 'q={a}[b]'
curl -G @@/x -d 'q=a\b'
curl -G -X POST @@/x -d a=1
curl -G -X DELETE @@/x -d a=1
curl --url-query 'a=b c' @@/x
curl --url-query '+a=b%20c' @@/x
curl --url-query 'a=1' --url-query 'b=2' '@@/x?z=1#f'
curl -G -d x=1 --url-query 'a=1' @@/x
curl --url-query 'a=1' -d x=1 @@/x
curl --url-query '=a&b' @@/x
curl --url-query 'ab' @@/x
curl -d a=1 @@/
curl -d '' @@/
curl -d '' -d a=1 @@/
curl -d a=1 -d '' @@/
curl -d a=1 --json '{"x":1}' @@/
curl --json '{"x":1}' -d a=1 @@/
curl --json '{"x":' --json '1}' @@/
curl --data-urlencode 'a b' @@/
curl --data-urlencode '=a b' @@/
curl --data-urlencode 'a=b c&d' -d e=f @@/
curl --data-urlencode 'n=ä€😀' @@/
curl -d 'a=b c' @@/
curl -d 'email=a@b.c&x=http://y/?z' @@/
curl -d 'expand[]=a&m[x]=2' @@/
curl -d 'a=%2f&b=%zz' @@/
curl -d 'payload={"a":{"b":1}}' @@/
curl -d '{"a":{"b":1}}' @@/
curl -d '{"a": {"b": 1.0}}' -H 'Content-Type: application/json' @@/
curl -d '[1,2]' @@/
curl -d 'plain text' @@/
curl -d '<a b="c">d</a>' -H 'Content-Type: application/xml' @@/
curl -d 'x' -H 'Content-Type: weird' @@/
curl -d 'x' -H 'Content-Type:' @@/
curl -d 'a=1' -H 'Content-Type:' @@/
curl -d '{"a":1}' -H 'Content-Type:' @@/
curl -d '{"a":1}' -H 'Content-Type: application/x-www-form-urlencoded' @@/
curl -d 'a=1' -H 'content-type: application/x-www-form-urlencoded; charset=utf-8' @@/
curl -d '{"a":1}' -H 'Content-Type;' @@/
curl -X PUT -d 'a=1' @@/
curl -X patch -d 'a=1' @@/
curl -X POST @@/
curl -X PUT @@/
curl -X DELETE @@/
curl -H 'X-A: 1' -H 'X-A: 2' @@/
curl -H 'X-A;' -H 'X-B:' -H 'X-C: ' -H 'nocolon' -H 'X-D; x' -H ':auth: x' @@/
curl -H 'Accept:' -H 'User-Agent:' @@/
curl -A 'x y' -e 'http://r/;auto' @@/
curl -A '' @@/
curl -A 'a' -H 'User-Agent: b' @@/
curl -A 'a' -H 'User-Agent:' @@/
curl -e 'http://r/' -H 'Referer: http://q/' @@/
curl -r 0-9 @@/
curl -r 5 @@/
curl -r 1,2 @@/
curl -r 007x @@/
curl -r 5 -H 'Range: bytes=1-2' @@/
curl -u a:b @@/
curl -u 'ü:ß' @@/
curl -u a: @@/
curl -u : @@/
curl -u a:b -H 'Authorization: Bearer x' @@/
curl -u a:b -H 'Authorization:' @@/
curl --oauth2-bearer tok @@/
curl --basic -u a:b @@/
curl -b 'a=1; b=2' @@/
curl -b 'a=1' -b 'b=2' @@/
curl -b 'a=1' -H 'Cookie: c=3' @@/
curl -H 'Cookie: c=3' -H 'Cookie: d=4' @@/
curl -H 'X-N: José' @@/
curl -H 'X-J: {"a":{"b":1}}' @@/
curl -H 'X-T:	tab	x' @@/
curl -H 'X-T:   spaced   ' @@/
curl -H 'Host: other' -H 'Connection: close' @@/
curl -H 'TE: trailers' -H 'Expect:' -d a=1 @@/
curl -H 'Accept-Encoding: gzip' @@/
curl --compressed @@/
curl -m 5 --max-filesize 1000 @@/
curl --json '{"a":1}' -H 'Accept: text/html' @@/
curl --json '{"a":1}' -H 'Accept:' @@/
curl --json '{"a":1}' -H 'Content-Type:' @@/
curl --json '{"a":1}' -H 'Content-Type: application/ld+json' @@/
curl --json '{"a":1}' -H 'content-type;' @@/
curl --json 'not json' @@/
curl --json '' @@/
curl -d $'{"index":{"_id":{}}}\n{"a":1}\n' -H 'Content-Type: application/x-ndjson' @@/
curl --json '{"query":"{a{b}}"}' @@/
curl -d '{a{b{c}}}' -H 'Content-Type: application/graphql' @@/
curl --json '{"a":1,"a":2}' @@/
curl -H 'X-Auth: abc' -H 'X-Api-Key: v' @@/
curl -G '@@/x?a=%2F' -d b=%2F
curl -G '@@/x%2Fy' -d b=%2F
curl --url-query 'a=/?' '@@/x?a=%2F'
curl -G '@@/x?' -d ''
curl -G -d x=1 --url-query 'a=1' @@/x
curl -G @@/x -d ''
curl -G '@@/x?a' -d '&b'
curl -G '@@/x' -d '&b&'
curl '@@/a\[1\]?x\{y\}'
curl -H 'TE: trailers' -H 'Expect:' -d a=1 @@/
curl --url-query '' @@/x
curl --url-query '+' '@@/x?a=1'
curl --url-query 'a=1' -G @@/x
curl -G '@@' -d b=1
curl -G '@@?a=1' -d b=1
curl --url-query 'a=1' '@@/a/../b?z=%2F#f'
curl -G -d 'q=%' '@@/a'
curl -G -d 'q=%zz%4' '@@/a'
curl '@@/a?q=%zz%4'
curl '@@/%zz%4'
curl -d '%zz=1&b=%4' '@@/'
curl -d '%41=1&b=%41' '@@/'
curl -d 'a+b=c+d&e=%20' '@@/'
curl -d 'a=1;b=2' '@@/'
curl -d 'a=1&' '@@/'
curl -d '&a=1' '@@/'
curl -d 'a' '@@/'
curl -d '=a' '@@/'
curl -d 'a=ä' '@@/'
curl -d 'a=%FF' '@@/'
curl -d 'a=%00' '@@/'
curl -d 'a=%7B%7Bx%7D%7D' '@@/'
curl -d 'a=%7Bx%7D' '@@/'
curl --data-urlencode 'a={{}}' '@@/'
curl -d $'line1\nline2' '@@/'
curl -d $'a=1\r\nb=2' '@@/'
curl --data-binary $'a\tb\n' '@@/' -H 'Content-Type: text/plain'
curl -d ' {"a":1} ' '@@/'
curl --json ' {"a" : "é\u00e9\/" } ' '@@/'
curl --json '"text"' '@@/'
curl --json '{{"a":1}}' '@@/'
curl --json '[[[]]]' '@@/'
curl --json '{"a":{"b":{"c":{}}}}' '@@/'
curl --json '{"t":"}}{{"}' '@@/'
curl --json '{"k}}":"v"}' '@@/'
curl -H 'Content-Type: application/vnd.api+json; v=1' -d '{"a":{}}' '@@/'
curl -H 'Content-Type: text/json' -d '{"a":1}' '@@/'
curl -H 'Content-Type: application/json' -d '{"a":1' '@@/'
curl -H 'Content-Type: application/json' -d 'a=1' '@@/'
curl -H 'content-type: TEXT/PLAIN ; charset=utf-8' -d 'x' '@@/'
curl -H 'Content-Type: a/b' -H 'Content-Type: a/b' -d 'x' '@@/'
curl -H 'Content-Type: text/plain' @@/
curl -H 'X-A: a,b' -H 'x-a: c' @@/
curl -H 'X-A: same' -H 'X-A: same' @@/
curl -H 'X-A:' -H 'X-A: b' @@/
curl -H 'X-A: b' -H 'X-A:' @@/
curl -H 'X-A;' -H 'X-A: b' @@/
curl -H 'X-A: b' -H 'X-A;' @@/
curl -H 'User-Agent: x' -H 'Accept: y' @@/
curl -H 'User-Agent;' @@/
curl -H 'Accept;' @@/
curl -H 'X.Y_z!#: v' @@/
curl -H 'X-Long: "quoted, \"text\""' @@/
curl -H 'If-Match: "abc"' -X PUT @@/
curl -H 'X-E: ' -H 'X-F:  ;' @@/
curl -H 'Authorization: Basic YTpi' -H 'Cookie: a=b' @@/
curl -b 'a=b;' -b 'c=d; ' @@/
curl -b ' a=b' @@/
curl -e '' @@/
curl -e 'http://x/é' @@/
curl -A 'é' @@/
curl -H 'Cookie:' -b 'a=1' @@/
curl -r '' @@/
curl -r -5 @@/
curl -r 0-1,3-4 @@/
curl -X get @@/
curl -X GET @@/
curl -X 'POST' -d '' @@/ -H 'Content-Type: application/json'
curl --request DELETE --url @@/x
curl -XPUT -da=1 -HX-A:1 @@/
curl -sSL -XPOST @@/x -H 'Authorization: Bearer abc' --data-raw $'{"a":"it\'s"}'
curl --data-raw '@x' @@/
curl --data-ascii 'a=1' --data-binary 'b=2' --data-raw 'c=3' @@/
curl -d a=1 -d b=2 --data-urlencode 'c=é' --data-urlencode '=x y' @@/
curl '@@/😀?😀=😀'
curl '@@/a?b?c/d'
curl '@@/a;p=1/b,c@d:e'
curl '@@/%41%7e'
curl '@@/.../a/....'
curl '@@/a/.../..b'
curl '@@//x//y'
curl '@@/x/./'
curl '@@/?../..'
curl '@@/x#a?b'
curl '@@/~user/$&+,/:=@!*()'
curl "@@/'"
curl --url-query '' '@@/x?a=1'
curl --url-query '+' '@@/x'
curl --url-query '+' --url-query 'a' '@@/x?b'
curl --url-query 'a=+%2B +' '@@/x?b'
curl --url-query '+a=+%2B' '@@/x?b'
curl -G -d '' '@@/x?'
curl -G -d '' -d '' '@@/x?a=1'
curl -G --json '{"a":1}' '@@/x'
curl -G -d "a='x'" '@@/x'
curl -G -d 'a="x"' '@@/x'
curl -G -d 'a=<x>|^`' '@@/x'
""".splitlines()
    if line
)
# With parameters that nobody gives, these come to the same request.
MODES = tuple(
    line
    for line in r"""
curl '@@/orders?status=open&limit=25&cursor=&ratio=1.50&x=1.5&yes=true&flag'
curl '@@/orders?big=12345678901234567890&small=-9007199254740991&e=1e+21'
curl '@@/s?q=a+b%20c&q=%C3%A9&q=007&q=-0&q=1e5&q=null&q=%FF'
curl -G @@/s -d limit=3 -d 'created[gte]=17' --data-urlencode 'q=x & y'
curl --url-query 'page=2' --url-query 'q=x y' '@@/x?z=1' --json '{"b":2}'
curl @@/f -d 'a=1&b=two+w&c=&d=%E2%82%AC&e=x y' -d 'f=true' -d 'n=1.5'
curl @@/f -d 'payload={"a":{"b":1}}' -d 'x=1'
curl @@/f --data-urlencode 'data={"a":{"b":1}}' -d 'x=1=2'
curl --json '{"s":"5","n":5,"f":1.5,"g":1.50,"h":1e400,"t":true,"z":null}' @@/j
curl --json '{"o":{"i":1},"l":[1],"e":"","u":"é\u00e9 \"q\" }}"}' @@/j
curl --json '{"2a":1,"a b":"x","":"y","A":1,"a":2}' @@/j
curl --json '{"s":"\u00e9\/\u2028","t":"\n\"\\","u":"\u0041"}' @@/j
curl --json '"\u00e9"' @@/j
curl --json 'true' @@/j
curl --json '"text"' @@/j
curl -X PATCH @@/j -H 'Content-Type: a/b+json' -d '[{"op":"add","value":1}]'
curl @@/t -H 'Content-Type: text/plain' -d 'plain {x} text'
""".splitlines()
    if line
)
