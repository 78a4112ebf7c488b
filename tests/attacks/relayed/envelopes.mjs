// Bodies around a result, as a server writes them whose result should pass without being read, or under another id.

const PAD = "x".repeat(70_000);
const long = (text) => `${PAD}${text}`;
/** The id of a request that this client has not sent. */
export const OTHER_ID = 987_654;
/** Stands for the content of another caller. It must not arrive in a complete message. */
export const FOREIGN = "of-another-caller";

const foreignResult = `{"resultType":"complete","content":[{"type":"text","text":"${FOREIGN}"}]}`;
const foreignRequest = `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"about":"${FOREIGN}"}}`;
const foreignNote = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"${FOREIGN}"}}`;
const foreignAnswer = `{"jsonrpc":"2.0","id":${OTHER_ID},"result":${foreignResult}}`;
const plain = (id, result) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`;

/** Bodies of `application/json`: each is written for the id of the request and the JSON of a result. */
export const ENVELOPES = {
  plain,
  "the id last": (id, result) => `{"jsonrpc":"2.0","result":${result},"id":${id}}`,
  "the version last": (id, result) => `{"result":${result},"id":${id},"jsonrpc":"2.0"}`,
  "another id before the result": (_, result) => plain(OTHER_ID, result),
  "another id behind the result": (_, result) => `{"jsonrpc":"2.0","result":${result},"id":${OTHER_ID}}`,
  "no id": (_, result) => `{"jsonrpc":"2.0","result":${result}}`,
  "the id null": (_, result) => plain("null", result),
  "the id as text": (id, result) => plain(JSON.stringify(String(id)), result),
  "the id with a fraction of zero": (id, result) => plain(/^\d+$/.test(id) ? `${id}.0` : id, result),
  "the id in an array": (id, result) => plain(`[${id}]`, result),
  "the id in an object": (id, result) => plain(`{"id":${id}}`, result),
  "the id true": (_, result) => plain("true", result),
  "the id twice, another last": (id, result) => `{"jsonrpc":"2.0","id":${id},"result":${result},"id":${OTHER_ID}}`,
  "the id twice, another first": (id, result) => `{"jsonrpc":"2.0","id":${OTHER_ID},"id":${id},"result":${result}}`,
  "another id under an escaped key": (id, result) =>
    `{"jsonrpc":"2.0","id":${id},"\\u0069d":${OTHER_ID},"result":${result}}`,
  "another id under an escaped key, behind the result": (id, result) =>
    `{"jsonrpc":"2.0","id":${id},"result":${result},"\\u0069\\u0064":${OTHER_ID}}`,
  "the result under an escaped key": (id, result) => `{"jsonrpc":"2.0","id":${id},"resu\\u006ct":${result}}`,
  "a result of another before": (id, result) =>
    `{"jsonrpc":"2.0","id":${id},"result":${foreignResult},"result":${result}}`,
  "an empty result before": (id, result) => `{"jsonrpc":"2.0","id":${id},"result":{},"result":${result}}`,
  "an empty result behind": (id, result) => `{"jsonrpc":"2.0","id":${id},"result":${result},"result":{}}`,
  "an empty result before, the key escaped": (id, result) =>
    `{"jsonrpc":"2.0","id":${id},"result":{},"\\u0072esult":${result}}`,
  "a method before": (id, result) =>
    `{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","result":${result}}`,
  "a method behind": (id, result) =>
    `{"jsonrpc":"2.0","id":${id},"result":${result},"method":"elicitation/create","params":{"message":"${FOREIGN}"}}`,
  "a method under an escaped key": (id, result) =>
    `{"jsonrpc":"2.0","id":${id},"\\u006dethod":"roots/list","result":${result}}`,
  "a method under an escaped key, behind": (id, result) =>
    `{"jsonrpc":"2.0","id":${id},"result":${result},"metho\\u0064":"roots/list"}`,
  "a method without an id": (_, result) =>
    `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"${FOREIGN}"},"result":${result}}`,
  "an error before": (id, result) =>
    `{"jsonrpc":"2.0","id":${id},"error":{"code":-1,"message":"x"},"result":${result}}`,
  "an error behind": (id, result) =>
    `{"jsonrpc":"2.0","id":${id},"result":${result},"error":{"code":-1,"message":"x"}}`,
  "an error null behind": (id, result) => `{"jsonrpc":"2.0","id":${id},"result":${result},"error":null}`,
  "no version": (id, result) => `{"id":${id},"result":${result}}`,
  "version 1.0": (id, result) => `{"jsonrpc":"1.0","id":${id},"result":${result}}`,
  "a version that is a number": (id, result) => `{"jsonrpc":2.0,"id":${id},"result":${result}}`,
  "another version behind": (id, result) => `{"jsonrpc":"2.0","id":${id},"result":${result},"jsonrpc":"1.0"}`,
  "a batch": (id, result) => `[${plain(id, result)}]`,
  "a batch with a notification": (id, result) => `[${foreignNote},${plain(id, result)}]`,
  "a batch with a request": (id, result) => `[${foreignRequest},${plain(id, result)}]`,
  "a batch with another answer first": (id, result) => `[${foreignAnswer},${plain(id, result)}]`,
  "a batch with another answer last": (id, result) => `[${plain(id, result)},${foreignAnswer}]`,
  "a batch in a batch": (id, result) => `[[${plain(id, result)}]]`,
  "another message behind": (id, result) => `${plain(id, result)}\n${foreignAnswer}`,
  "another message before": (id, result) => `${foreignAnswer}\n${plain(id, result)}`,
  "a notification before": (id, result) => `${foreignNote}${plain(id, result)}`,
  "a notification behind": (id, result) => `${plain(id, result)}${foreignNote}`,
  "words behind": (id, result) => `${plain(id, result)} ${FOREIGN}`,
  "a brace behind": (id, result) => `${plain(id, result)}}`,
  "no brace at the end": (id, result) => plain(id, result).slice(0, -1),
  "no end": (id, result) => plain(id, result).slice(0, -40),
  "a byte order mark": (id, result) => `\ufeff${plain(id, result)}`,
  "two byte order marks": (id, result) => `\ufeff\ufeff${plain(id, result)}`,
  "70 KB of white space before": (id, result) => `${" ".repeat(70_000)}${plain(id, result)}`,
  "70 KB of white space behind": (id, result) => `${plain(id, result)}${"\n".repeat(70_000)}`,
  "an unknown member of 70 KB before": (id, result) => `{"jsonrpc":"2.0","pad":"${PAD}","id":${id},"result":${result}}`,
  "another id behind 70 KB": (id, result) =>
    `{"jsonrpc":"2.0","id":${id},"result":${result},"pad":"${PAD}","id":${OTHER_ID}}`,
  "a method behind 70 KB": (id, result) =>
    `{"jsonrpc":"2.0","id":${id},"result":${result},"pad":"${PAD}","method":"ping"}`,
  "a second result behind 70 KB": (id, result) =>
    `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"pad":"${PAD}"},"result":${result}}`,
  "members in a member": (id, result) =>
    `{"jsonrpc":"2.0","x":{"id":${OTHER_ID},"result":{},"method":"ping"},"id":${id},"result":${result}}`,
  "members in a text": (id, result) =>
    `{"jsonrpc":"2.0","x":"}\\"],\\"id\\":${OTHER_ID},\\"method\\":\\"ping\\"","id":${id},"result":${result}}`,
  "a key with a brace": (id, result) => `{"jsonrpc":"2.0","}{\\\\":[],"id":${id},"result":${result}}`,
  "members in another case": (id, result) =>
    `{"jsonrpc":"2.0","id":${id},"ID":${OTHER_ID},"result":${result},"Method":"ping"}`,
  "an empty key": (id, result) => `{"jsonrpc":"2.0","":1,"id":${id},"result":${result}}`,
  "the member __proto__": (id, result) =>
    `{"jsonrpc":"2.0","__proto__":{"method":"ping"},"id":${id},"result":${result}}`,
  "no colon": (id, result) => `{"jsonrpc":"2.0","id" ${id},"result":${result}}`,
  "a comma at the end": (id, result) => `{"jsonrpc":"2.0","id":${id},"result":${result},}`,
  "two commas": (id, result) => `{"jsonrpc":"2.0",,"id":${id},"result":${result}}`,
  "a comment": (id, result) => `{"jsonrpc":"2.0",/*${FOREIGN}*/"id":${id},"result":${result}}`,
  "single quotes": (id, result) => `{'jsonrpc':'2.0','id':${id},'result':${result}}`,
  "a result that is null": (id) => plain(id, "null"),
  "a result that is a text": (id) => plain(id, `"${long("")}"`),
  "a result that is an array": (id, result) => plain(id, `[${result}]`),
  "a result that closes another bracket": (id, result) => plain(id, `{"a":[${result}}]`),
  "a result that closes early": (id, result) =>
    `{"jsonrpc":"2.0","id":${id},"result":{}},"id":${OTHER_ID},"result":${result}}`,
  "an event in the result": (id, result) => plain(id, `{"a":1\n\ndata: ${foreignNote}\n\n,"b":${result}}`),
  "an event in white space": (id, result) =>
    `{"jsonrpc":"2.0",\n\ndata: ${foreignNote}\n\n"id":${id},"result":${result}}`,
  "lines in the result": (id, result) => plain(id, `{\n\n\r\r"a":\r\n\r\n[],${result.slice(1)}`),
  "a line in a text": (id, result) =>
    plain(id, `{"a":"\n\ndata: ${foreignNote.replaceAll('"', "'")}\n\n",${result.slice(1)}`),
  "NaN in the result": (id, result) => plain(id, `{"a":NaN,${result.slice(1)}`),
  "a surrogate in the result": (id, result) => plain(id, `{"a":"\\ud800",${result.slice(1)}`),
  "depth in the result": (id, result) => plain(id, `{"a":${"[".repeat(3_000)}${"]".repeat(3_000)},${result.slice(1)}`),
  "an escape without an end": (id, result) => plain(id, `{"a":"\\u00",${result.slice(1)}`),
  nothing: () => "",
  "white space": () => " \n ",
  null: () => "null",
  "a text": () => `"${FOREIGN}"`,
};
