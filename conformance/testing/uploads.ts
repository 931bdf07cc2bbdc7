import { content } from "../session/unique.ts"
import type { PreviewInput } from "../dialect/Dialect.ts"

const declared = (label: string, contentType: string) => ({ content: content("run", "check", label, 8), contentType })

/** A bundle, two files and a recording, each with a content type of its own. */
export const exampleInput: PreviewInput = {
  bundle: declared("bundle", "text/javascript"),
  files: [
    { path: "assets/style.css", ...declared("style", "text/css") },
    { path: "assets/data.json", ...declared("data", "application/json") }
  ],
  recordings: [{ name: "first.png", kind: "screenshot", ...declared("png", "image/png") }],
  fields: {}
}
