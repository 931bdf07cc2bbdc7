import type { S3Client } from "@aws-sdk/client-s3"

/** The part of a bucket that a store keeps to: every object's name there begins with `prefix`, its key follows. */
export interface BucketLocation {
  readonly client: S3Client
  readonly bucket: string
  readonly prefix: string
}

/** Text as S3 wants it in paths and queries, and as it encodes it itself where it checks a signature. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )

/** The name of an object as a path. */
export const encodePath = (name: string): string => name.split("/").map(encode).join("/")
