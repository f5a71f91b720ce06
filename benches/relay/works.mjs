/** The names of what is measured. */

/** The server without a relay. */
export const PIPE = "the pipe alone";

/** What is asked: a message that passes, which proxies of others answer themselves; a result that fits; and one that is shaped. */
export const WORKS = { ping: "a message that passes", small: "a result that fits", rows: "a result of 40 KB" };

/** Shaping by the library itself, in Python: the wheel has the same machine code as the program. */
export const SHAPING = "shaping alone, Python";
