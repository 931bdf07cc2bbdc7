// Characters that hide or reorder the rest of a name (controls, zero-width marks), or that have a meaning in file
// systems.
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}"*/:<>?\\|]+/gu

const longest = 150

/** The last segment of a name or path, safe for a file system and a header. If it is too long, its end is kept. */
const fileName = (path: string): string => {
  const characters = Array.from(path.slice(path.lastIndexOf("/") + 1).replaceAll(unsafe, "_"))
  const name = characters.slice(-longest).join("")
  return name.replaceAll(/^[\s.]+|[\s.]+$/gu, "") || "file"
}

const extended = (name: string): string =>
  encodeURIComponent(name).replaceAll(/[!'()]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)

/** A name with non-ASCII characters is also sent as RFC 8187 specifies, for clients that support it. */
const named = (way: "inline" | "attachment", path: string): string => {
  const name = fileName(path)
  const plain = name.replaceAll(/[^\x20-\x7e]|%/gu, "_")
  return plain === name
    ? `${way}; filename="${plain}"`
    : `${way}; filename="${plain}"; filename*=UTF-8''${extended(name)}`
}

/** A `Content-Disposition` that shows the content, with a name for saving it. */
export const inlineAs = (path: string): string => named("inline", path)

/**
 * A `Content-Disposition` that saves the content if it would otherwise be opened as a page. It has no effect on content
 * that a page embeds.
 */
export const attachmentAs = (path: string): string => named("attachment", path)
