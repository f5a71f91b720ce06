/** A tool's text, or what several commands printed, or the blocks of a server. */
const textsOf = (output) => {
  if (typeof output === "string") return [output];
  if (Array.isArray(output)) return output.map(({ result }) => result).filter((text) => typeof text === "string");
  return (output?.content ?? []).filter(({ type }) => type === "text").map(({ text }) => text);
};

const afterTool = async ({ tool, input, result }) => {
  const texts = textsOf(result.output);
  const short = texts.length > 0 ? await shaped(tool.name, input, texts) : undefined;
  return short ? { result: { ...result, output: short.join("\n") } } : undefined;
};

const hooks = { afterTool };
export default { name: "toolshape", manifest: { capabilities: ["hooks"] }, hooks, setup: () => ({ hooks }) };
