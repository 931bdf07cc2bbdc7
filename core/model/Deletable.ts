import { Schema } from "effect"
import { BuildId } from "./Build.ts"
import { ShareId } from "./Preview.ts"
import { TestRunId } from "./TestRun.ts"

/** A thing that can be deleted, by its id. */
export const Deletable = Schema.Union([
  Schema.Struct({ build: BuildId }),
  Schema.Struct({ preview: ShareId }),
  Schema.Struct({ run: TestRunId })
])
export type Deletable = typeof Deletable.Type
