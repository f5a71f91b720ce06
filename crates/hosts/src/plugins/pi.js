export default function toolshape(pi) {
  pi.on("tool_result", async ({ toolName, input, content }) => {
    const blocks = await shapedBlocks(toolName, input, content);
    return blocks ? { content: blocks } : undefined;
  });
}
