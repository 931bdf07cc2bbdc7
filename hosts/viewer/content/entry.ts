import { Schema } from "effect"
import { FilePath } from "../../../core/model/Artifact.ts"
import { isGzip } from "../../../core/rules/verification.ts"

const isFilePath = Schema.is(FilePath)

/**
 * The path of a build's bundle among its files: its `entry` without a leading `/` or `./`, or `index.js` if `entry` is
 * missing or can't be a URL's path. The bundle takes precedence over a file declared at the same path.
 */
export const entryPath = (entry: string | undefined): string => {
  const path = (entry ?? "").replace(/^\.?\//, "")
  return isFilePath(path) ? path : "index.js"
}

/** A path as a relative URL. */
export const relativeUrl = (path: string): string => `./${path.split("/").map(encodeURIComponent).join("/")}`

/** The path that a relative URL leads to; `undefined` when it is none. */
export const pathOf = (url: string): string | undefined => {
  try {
    return url.split("/").map(decodeURIComponent).join("/")
  } catch {
    return undefined
  }
}

const isScript = (contentType: string): boolean =>
  /^(?:text|application)\/(?:x-)?(?:java|ecma)script\b/i.test(contentType)

/**
 * The headers of a bundle. It is always served as a script; one declared as gzip is a script with that content
 * encoding.
 */
export const bundleHeaders = (object: {
  readonly contentType: string
  readonly contentEncoding?: string
}): { readonly contentType: string; readonly contentEncoding?: string | undefined } => ({
  contentType: isScript(object.contentType) ? object.contentType : "text/javascript; charset=utf-8",
  contentEncoding: object.contentEncoding ?? (isGzip(object.contentType, undefined) ? "gzip" : undefined)
})

/** The source map of a bundle, and the path of the bundle. */
export interface SourceMap {
  readonly path: string
  readonly bundle: string
}

/** The source map among the files beside a bundle: the one that is named like it, or the only one. */
export const sourceMapOf = (declaration: {
  readonly entry?: string | undefined
  readonly files: ReadonlyArray<{ readonly path: string }>
}): SourceMap | undefined => {
  const bundle = entryPath(declaration.entry)
  const maps = declaration.files.map(({ path }) => path).filter((path) => path.endsWith(".map"))
  const path = maps.find((one) => one === `${bundle}.map`) ?? (maps.length === 1 ? maps[0] : undefined)
  return path === undefined ? undefined : { path, bundle }
}
