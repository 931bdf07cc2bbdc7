import { Schema } from "effect"
import { inject } from "vitest"
import { ask } from "../../postgres/testing/ask.ts"
import type { S3Server } from "./startCeph.ts"

export { startCeph } from "./startCeph.ts"
export type { Ceph, S3Server } from "./startCeph.ts"

const Answer = Schema.fromJsonString(
  Schema.Struct({
    endpoint: Schema.String,
    region: Schema.String,
    bucket: Schema.String,
    accessKeyId: Schema.String,
    secretAccessKey: Schema.String
  })
)

export const hasS3: boolean = inject("hasS3")

/** The S3 server that all tests of a run share. A test that stores something uses a prefix of its own. */
export const s3Server = async (): Promise<S3Server> => Schema.decodeSync(Answer)(await ask("/s3"))
