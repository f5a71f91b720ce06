// Steps of a script: what a client asks, and what of a server it shows.

/** A call of a tool; `more` says what it shows in addition to its result. */
export const call = (name, args = {}, more = {}) => ({
  shows: "results",
  method: "tools/call",
  params: { name, arguments: args },
  ...more,
});
export const request = (shows, method, params = {}, more = {}) => ({ shows, method, params, ...more });
/** All pages of a list. */
export const list = (shows, method) => ({ shows, method, isList: true });
export const read = (uri, more = {}) => request("resources", "resources/read", { uri }, more);

/** What any server can be asked that has tools. */
export const ALWAYS = [
  list("tools", "tools/list"),
  request("ping", "ping"),
  request("errors", "no/such/method", { deep: [1, 2.5, null] }),
];
