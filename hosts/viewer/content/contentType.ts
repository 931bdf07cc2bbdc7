/** The types by which a browser shows what has these endings. */
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

// Messages in a message: a browser may take their headers for the host's own, cookies too, or their site for its.
const holdsMessages = /^(?:multipart|message)\/|^application\/(?:signed-exchange|webbundle)\b/i

/**
 * The type as which an object is shown: the declared one, or, where that says no more than that it is bytes, the one
 * that its name's ending stands for. What holds messages of its own is bytes.
 */
export const shownType = (contentType: string, name: string): string => {
  if (holdsMessages.test(contentType)) return "application/octet-stream"
  const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase()
  return saysNothing.test(contentType) && Object.hasOwn(types, ending) ? (types[ending] ?? contentType) : contentType
}
