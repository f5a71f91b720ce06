// What a model reads of the content of a message.

/** The texts in it, and how many pictures. */
export function readable(content) {
  const read = { text: [], images: 0 };
  collect(content, read);
  return { text: read.text.join("\n"), images: read.images };
}

function collect(part, read) {
  if (part === null || part === undefined) return;
  if (typeof part === "string") read.text.push(part);
  else if (Array.isArray(part)) for (const each of part) collect(each, read);
  else if (isImage(part)) read.images += 1;
  else if (typeof part.text === "string") read.text.push(part.text);
  else read.text.push(JSON.stringify(part));
}

const isImage = (part) =>
  ["image", "image_url", "input_image", "image-data"].includes(part.type) || Boolean(part.inlineData);
