/** What pages may show and allow of the site that they belong to. */

/** Whether a text is the origin of one site, as browsers write it, without what has a meaning in a policy. */
export const isOrigin = (text: string): boolean =>
  /^https?:\/\/[\w.:[\]-]+$/.test(text) && URL.parse(text)?.origin === text

export const originsRule = "must be origins of sites, such as https://dashboard.example, without paths or wildcards"

export const isSiteName = (text: string): boolean => /^[^\p{Cc}\p{Cf}]{1,60}$/u.test(text) && text.trim() === text

export const siteNameRule = "must have 1 to 60 characters, without control characters or spaces around it"

export const logoRule = "must be a PNG, JPEG or WebP image of at most 100 kB"

const maxLogoBytes = 100_000

/** The content type of an image that browsers only draw, by its first bytes; not SVG, which can run scripts. */
export const imageType = (bytes: Uint8Array): "image/png" | "image/jpeg" | "image/webp" | undefined => {
  if (bytes.byteLength > maxLogoBytes) return undefined
  const start = String.fromCharCode(...bytes.subarray(0, 12))
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png"
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg"
  return /^RIFF[^]{4}WEBP/.test(start) ? "image/webp" : undefined
}
