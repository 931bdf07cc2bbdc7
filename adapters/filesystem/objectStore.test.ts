import { Effect, Layer } from "effect"
import { assert } from "@effect/vitest"
import { join } from "node:path"
import { objectStoreSuite, OpenObjects } from "../kit/objectStore.ts"
import { loopback } from "../kit/parts/objectStoreHarness.ts"
import { serviceSuite } from "../kit/service.ts"
import { layerMetadata } from "../memory/index.ts"
import { layer } from "./index.ts"
import { openFiles, tree } from "./testing/store.ts"
import { temporaryDirectory } from "./testing/temporaryDirectory.ts"

/** After the store is closed, no temporary file of a case is left. */
const nothingLeaks = (directory: string) =>
  Effect.addFinalizer(
    Effect.fnUntraced(function* () {
      assert.deepStrictEqual(yield* tree(join(directory, ".tmp")), [])
    })
  )

const store = Layer.unwrap(
  Effect.map(Effect.tap(temporaryDirectory, nothingLeaks), (directory) =>
    process.platform === "linux"
      ? Layer.merge(layer({ directory }), Layer.succeed(OpenObjects, openFiles(directory)))
      : layer({ directory })
  )
)

objectStoreSuite("filesystem", loopback(store), {
  urlsServedByHost: true,
  listsContentType: true,
  tellsContentHash: true
})

serviceSuite("filesystem", Layer.merge(layerMetadata, loopback(store)))
