import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { OpenObjects } from "../../kit/objectStore.ts"
import { layer } from "../index.ts"
import { openFiles, tree } from "./store.ts"
import { temporaryDirectory } from "./temporaryDirectory.ts"

/** After the store is closed, no temporary file of a case is left. */
const nothingLeaks = (directory: string) =>
  Effect.addFinalizer(
    Effect.fnUntraced(function* () {
      assert.deepStrictEqual(yield* tree(join(directory, ".tmp")), [])
    })
  )

/** A store in a folder of its own, which tells what it has open. */
export const checkedStore = Layer.unwrap(
  Effect.map(Effect.tap(temporaryDirectory, nothingLeaks), (directory) =>
    process.platform === "linux"
      ? Layer.merge(layer({ directory }), Layer.succeed(OpenObjects, openFiles(directory)))
      : layer({ directory })
  )
)
