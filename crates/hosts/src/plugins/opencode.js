export const Toolshape = async () => ({
  "tool.execute.after": async ({ tool, args }, output) => {
    if (typeof output.output === "string") {
      const short = await shaped(tool, args, [output.output]);
      if (short) output.output = short.join("\n");
    } else if (Array.isArray(output.content)) {
      const blocks = await shapedBlocks(tool, args, output.content);
      if (blocks) {
        output.content = blocks;
        delete output.structuredContent;
      }
    }
  },
});
