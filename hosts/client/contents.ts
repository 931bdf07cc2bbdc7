/** The input of `upload`: that of a reservation, with bodies instead of sizes and digests. */
import type { Body } from "./bodies.ts"
import type { BuildIdentity, BundleDetails, CiDetails, PreviewDetails, Recording } from "./requests.ts"

/** Something to upload. */
export interface Content {
  readonly body: Body
  /** A MIME type such as `text/javascript`. */
  readonly contentType: string
  /** Required for a stream, because the size is declared before it is read. */
  readonly sizeBytes?: number
  /**
   * The SHA-256 of the uncompressed bytes, 64 lower-case hexadecimal digits, which the service verifies. Needed of a
   * bundle that is a stream; else the client computes it: on Node for all that can be read twice, in browsers for
   * bundles and bytes.
   */
  readonly contentHash?: string
}

/** A file beside the bundle. */
export interface FileContent extends Content {
  /** What the file is called there: a relative path with `/` between its segments. */
  readonly path: string
}

/** A recording beside the bundle of a preview. */
export interface RecordingContent extends Content, Omit<Recording, keyof Content> {}

/** A build to upload. */
export interface BuildUpload extends BuildIdentity, BundleDetails, CiDetails {
  readonly bundle: Content
  readonly files?: ReadonlyArray<FileContent>
}

/** A preview to upload. */
export interface PreviewUpload extends PreviewDetails {
  readonly bundle: Content
  readonly files?: ReadonlyArray<FileContent>
  readonly recordings?: ReadonlyArray<RecordingContent>
}
