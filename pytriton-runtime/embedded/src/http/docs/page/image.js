// Converts images to tensors and back.

const MAGIC = [
  [[0x89, 0x50, 0x4e, 0x47], "image/png"],
  [[0xff, 0xd8, 0xff], "image/jpeg"],
  [[0x47, 0x49, 0x46, 0x38], "image/gif"],
  [[0x52, 0x49, 0x46, 0x46], "image/webp"],
];

// Returns the media type of an image file from its first bytes.
function pictureType(bytes) {
  if (!(bytes instanceof Uint8Array)) return undefined;
  return MAGIC.find(([magic]) => magic.every((byte, index) => bytes[index] === byte))?.[1];
}

// Returns the positions of height, width and channels in the dimensions of an image. The minimum
// size distinguishes images from tables.
function pictureAxes(dims, least = 1) {
  const [a, b, c] = dims;
  const large = (dim) => dim < 0 || dim >= least;
  if (dims.length === 3 && [1, 3, 4].includes(c) && large(a) && large(b)) return { height: a, width: b, channels: c, last: true };
  if (dims.length === 3 && [1, 3, 4].includes(a) && large(b) && large(c)) return { height: b, width: c, channels: a, last: false };
  if (dims.length === 2 && large(a) && large(b)) return { height: a, width: b, channels: 1, last: true };
  return undefined;
}

// Returns the pixels of an image file, scaled to the dimensions.
async function pixels(file, axes) {
  const bitmap = await createImageBitmap(file);
  const width = axes.width > 0 ? axes.width : bitmap.width;
  const height = axes.height > 0 ? axes.height : bitmap.height;
  const context = el("canvas", { width, height }).getContext("2d", { willReadFrequently: true });
  context.drawImage(bitmap, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  const { channels, last } = axes;
  const values = new Uint8Array(width * height * channels);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const [red, green, blue] = data.subarray(pixel * 4, pixel * 4 + 3);
    for (let channel = 0; channel < channels; channel += 1) {
      const value = channels === 1 ? Math.round(0.299 * red + 0.587 * green + 0.114 * blue) : data[pixel * 4 + channel];
      values[last ? pixel * channels + channel : channel * width * height + pixel] = value;
    }
  }
  return { values, shape: last ? (axes.flat ? [height, width] : [height, width, channels]) : [channels, height, width] };
}

// Draws a tensor as images, one per row, or returns none if it is not an image. For floats, 0 is
// black and 1 or 255 is white.
function pictures({ datatype, shape, values }, batched) {
  const files = Array.from(datatype === "BYTES" ? values : []).filter(pictureType);
  if (files.length > 0) {
    return files.slice(0, 16).map((bytes, index) => picture(bytes, `picture ${index + 1}`));
  }
  const axes = pictureAxes(batched ? shape.slice(1) : shape, 8);
  if (!axes || !["UINT8", "FP32", "FP16"].includes(datatype)) return [];
  if (datatype !== "UINT8" && !Array.prototype.every.call(values, (value) => value >= 0 && value <= 255)) return [];
  const size = axes.height * axes.width * axes.channels;
  const scale = datatype === "UINT8" || Array.prototype.some.call(values, (value) => value > 1) ? 1 : 255;
  return Array.from({ length: Math.min(16, values.length / size) }, (_, index) =>
    painted(values.slice(index * size, (index + 1) * size), axes, scale, `picture ${index + 1}`),
  );
}

// Returns the image in a file.
function picture(bytes, label) {
  const url = URL.createObjectURL(new Blob([bytes], { type: pictureType(bytes) }));
  return el("img", { src: url, alt: label, onload: () => URL.revokeObjectURL(url) });
}

function painted(values, { height, width, channels, last }, scale, label) {
  const canvas = el("canvas", { width, height, role: "img", "aria-label": label });
  const data = new ImageData(width, height);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    for (let channel = 0; channel < 4; channel += 1) {
      const from = channels === 1 ? 0 : channel;
      const value = channel < 3 || channels === 4 ? values[last ? pixel * channels + from : from * width * height + pixel] * scale : 255;
      data.data[pixel * 4 + channel] = channel === 3 && channels !== 4 ? 255 : value;
    }
  }
  canvas.getContext("2d").putImageData(data, 0, 0);
  return canvas;
}
