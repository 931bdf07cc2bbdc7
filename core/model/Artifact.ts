import { Schema } from "effect"
import { Name, text } from "./Text.ts"

/** The SHA-256 of the uncompressed bytes, 64 lower-case hexadecimal digits. @see docs/interface.md#2.1 */
export const ContentHash = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/u, { message: "must be a SHA-256 in 64 lower-case hexadecimal digits" })
)

/**
 * The SHA-256s of an upload's objects that declared none, by name (`bundle`, `files/0`). A digest is present if the host computed
 * it while it received the object, or if the store lists it.
 */
export const Digests = Schema.Record(Schema.String, ContentHash)
export type Digests = typeof Digests.Type

/** A MIME type such as `text/javascript` or `application/json; charset=utf-8`. It is compared byte for byte. */
export const ContentType = text(255).check(
  Schema.isPattern(
    /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[\x20\x21\x23-\x5b\x5d-\x7e]*"))*$/u,
    {
      message: "must be a MIME type such as text/javascript"
    }
  )
)

/** A size in bytes. */
export const SizeBytes = Schema.Int.check(
  Schema.isBetween(
    { minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    { message: "must be a whole number of bytes, 0 or more" }
  )
)

/** A relative POSIX path: no leading `/`, no empty, `.` or `..` segment, no backslash, no control character. */
export const FilePath = Name.check(
  Schema.isPattern(/^(?!\.{1,2}(?:\/|$))[^/\\]+(?:\/(?!\.{1,2}(?:\/|$))[^/\\]+)*$/u, {
    message: "must be a relative path: no leading or doubled /, no . or .. segment, no backslash"
  })
)

/** A file declared beside the bundle. @see docs/interface.md#2.1 */
export const DeclaredFile = Schema.Struct({
  path: FilePath,
  sizeBytes: SizeBytes,
  contentType: ContentType,
  contentHash: Schema.optionalKey(ContentHash)
})
export type DeclaredFile = typeof DeclaredFile.Type

/** The indexes of the files whose path an earlier file in the list has too. */
export const repeatedPaths = (files: ReadonlyArray<{ readonly path?: unknown }>): ReadonlyArray<number> => {
  const seen = new Set<unknown>()
  return files.flatMap(({ path }, index) => {
    if (path === undefined || !seen.has(path)) {
      seen.add(path)
      return []
    }
    return [index]
  })
}

/** The message for a path that is declared twice. */
export const repeatedPath = "must be unique among files"

/** Declared files. No two of them have the same path. */
export const DeclaredFiles = Schema.Array(DeclaredFile).check(
  Schema.makeFilter((files: ReadonlyArray<DeclaredFile>) =>
    repeatedPaths(files).map((index) => ({ path: [index, "path"], issue: repeatedPath }))
  )
)

/** The screen a bundle is meant for, in logical pixels. @see docs/interface.md#2.1 */
export const DeviceSpec = Schema.Struct({
  width: Schema.Finite.check(
    Schema.isBetween({ minimum: 1, maximum: 100_000 }, { message: "must be between 1 and 100000" })
  ),
  height: Schema.Finite.check(
    Schema.isBetween({ minimum: 1, maximum: 100_000 }, { message: "must be between 1 and 100000" })
  )
})
export type DeviceSpec = typeof DeviceSpec.Type

/** The URL of the origin a bundle was served from. */
export const BundleOrigin = text(2048).check(
  Schema.makeFilter((value: string) => URL.canParse(value) || "must be an absolute URL")
)

/**
 * One object that a reservation expects: `name` is its key relative to the reservation's key prefix (`bundle`, `files/0`), `path`
 * the declared path of a file.
 */
export interface DeclaredObject {
  readonly name: string
  readonly path?: string
  readonly sizeBytes: number
  readonly contentType: string
  readonly contentHash?: string
}

/**
 * The bytes to read: `length` bytes or all from `offset`, or the last `suffix` bytes. Bytes outside the object are ignored.
 */
export type ByteRange = { readonly offset: number; readonly length?: number } | { readonly suffix: number }
