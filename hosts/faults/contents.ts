/** What clients upload. */
import { createHash } from "node:crypto"

export interface Content {
  readonly path: string
  readonly bytes: Uint8Array
  readonly digest: string
}

const content = (path: string, text: string): Content => {
  const bytes = new TextEncoder().encode(text)
  return { path, bytes, digest: digestOf(bytes) }
}

export const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** New contents, the bundle first, that no other upload has. */
export const newContents = (account: string, files: number): ReadonlyArray<Content> => {
  const id = crypto.randomUUID()
  return [
    content("index.js", `/* ${account} ${id} */ console.log("bundle")\n`),
    ...Array.from({ length: files }, (_, nth) =>
      content(`assets/${nth}.js`, `/* ${account} ${id} ${nth} */ ${"x".repeat(500 * nth)}\n`)
    )
  ]
}

/** How contents are declared when they are reserved. */
export const declarationOf = ([bundle, ...files]: ReadonlyArray<Content>) => ({
  contentHash: bundle?.digest,
  bundleSizeBytes: bundle?.bytes.byteLength,
  bundleContentType: "text/javascript",
  files: files.map(({ bytes, digest, path }) => ({
    path,
    sizeBytes: bytes.byteLength,
    contentType: "text/javascript",
    contentHash: digest
  }))
})
