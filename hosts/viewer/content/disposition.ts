// What hides or turns around what a name says (controls, marks without a width), and what file systems give a meaning.
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}"*/:<>?\\|]+/gu

const longest = 150

/** The last segment of a name or path as a file system and a header take it; its end is kept where it is too long. */
const fileName = (path: string): string => {
  const characters = Array.from(path.slice(path.lastIndexOf("/") + 1).replaceAll(unsafe, "_"))
  const name = characters.slice(-longest).join("")
  return name.replaceAll(/^[\s.]+|[\s.]+$/gu, "") || "file"
}

const extended = (name: string): string =>
  encodeURIComponent(name).replaceAll(/[!'()]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)

/** What a name has beyond ASCII comes by RFC 8187, for clients that know that. */
const named = (way: "inline" | "attachment", path: string): string => {
  const name = fileName(path)
  const plain = name.replaceAll(/[^\x20-\x7e]|%/gu, "_")
  return plain === name
    ? `${way}; filename="${plain}"`
    : `${way}; filename="${plain}"; filename*=UTF-8''${extended(name)}`
}

/** The `Content-Disposition` of something that is shown where it stands, and keeps its name when it is saved. */
export const inlineAs = (path: string): string => named("inline", path)

/** The `Content-Disposition` of something that a browser saves where it would be a page. What loads it into one ignores that. */
export const attachmentAs = (path: string): string => named("attachment", path)
