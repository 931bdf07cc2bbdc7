import { Data, Redacted } from "effect"

/** The bucket, its address and the credentials. */
export interface S3Options {
  readonly bucket: string
  /** Where Slipway and the clients of its presigned URLs reach the store; by default AWS's address for the region. */
  readonly endpoint?: string | undefined
  /**
   * By default the region that the SDK finds in its environment and files, or else `us-east-1` where there is an
   * endpoint.
   */
  readonly region?: string | undefined
  /** Is put before every key: segments that each end in a slash, by default `""`. */
  readonly prefix?: string | undefined
  /** Whether the bucket's name is in the path of a URL and not in the host's name, as many stores require. */
  readonly forcePathStyle?: boolean | undefined
  /** By default the SDK's credential chain, which also renews them. */
  readonly credentials?:
    | { readonly accessKeyId: Redacted.Redacted; readonly secretAccessKey: Redacted.Redacted }
    | undefined
}

/** The options name no store: the message says what is wrong with them. */
export class OptionsUnusable extends Data.TaggedError("OptionsUnusable")<{ readonly message: string }> {}
