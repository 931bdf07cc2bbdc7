/** Content types by file name extension. */
const types: Readonly<Record<string, string>> = {
  avif: "image/avif",
  csv: "text/csv; charset=utf-8",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  jsonl: "application/x-ndjson",
  log: "text/plain; charset=utf-8",
  m4a: "audio/mp4",
  map: "application/json",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp"
}

const saysNothing = /^(?:application|binary)\/octet-stream(?:;|$)/i

// MIME messages inside a message. A browser may apply their headers, even cookies, to the host.
const holdsMessages = /^(?:multipart|message)\/|^application\/(?:signed-exchange|webbundle)\b/i

/**
 * The content type with which an object is served: the declared one, or, if that only says "bytes", the type of the
 * file name's extension. A type that may contain MIME messages is served as bytes.
 */
export const shownType = (contentType: string, name: string): string => {
  if (holdsMessages.test(contentType)) return "application/octet-stream"
  const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase()
  return saysNothing.test(contentType) && Object.hasOwn(types, ending) ? (types[ending] ?? contentType) : contentType
}
