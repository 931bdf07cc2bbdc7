import type { S3Client } from "@aws-sdk/client-s3"

/** The part of a bucket that a store uses. The name of an object there is `prefix` followed by its key. */
export interface BucketLocation {
  readonly client: S3Client
  readonly bucket: string
  readonly prefix: string
}

/** Encodes text for paths and queries as S3 encodes it when it checks a signature. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )

/** The name of an object as a path. */
export const encodePath = (name: string): string => name.split("/").map(encode).join("/")
