import { afterAll, assert } from "@effect/vitest"
import { Layer } from "effect"
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layerMetadata } from "../../adapters/memory/index.ts"
import { layer } from "../../core/testing/layer.ts"
import { refusal } from "../http/testing/refusals.ts"
import { newAccount, TestHost } from "../http/testing/TestHost.ts"
import { bundle, finalize, put, reserve } from "../http/testing/uploads.ts"
import { dataFolder } from "./settings/dataFolder.ts"
import { embeddedObjects } from "./engines/chooseEngines.ts"

const data = mkdtempSync(join(tmpdir(), "slipway-health-"))
const files = embeddedObjects(data)
const engines = {
  metadata: "memory",
  objects: files.name,
  ports: Layer.merge(layerMetadata, files.ports),
  routes: files.routes
}
afterAll(() => rmSync(data, { recursive: true, force: true }))

/** Folders that the file store can't work without. */
const folders = [dataFolder(data).objects, join(dataFolder(data).objects, "objects")]

layer(TestHost.layer(engines))("a host whose folder of objects was replaced by a file", (it) => {
  it.effect.each(folders)("is not ready, and answers a finalize with Retry-After: %s", function* (folder) {
    const host = yield* TestHost
    const account = yield* newAccount()
    const { slots, token } = yield* reserve(account)
    yield* put(slots.bundle, bundle)
    assert.strictEqual((yield* host.call("GET", "/readyz")).status, 200)

    renameSync(folder, `${folder}-away`)
    writeFileSync(folder, "")
    const ready = yield* host.call("GET", "/readyz")
    yield* refusal(ready, 503, "unavailable")
    assert.match(ready.headers.get("retry-after") ?? "", /^\d+$/)
    yield* refusal(yield* finalize(account, token), 503, "unavailable")
    assert.strictEqual((yield* host.call("GET", "/healthz")).status, 200)

    rmSync(folder)
    renameSync(`${folder}-away`, folder)
    assert.strictEqual((yield* host.call("GET", "/readyz")).status, 200)
    assert.strictEqual((yield* finalize(account, token)).status, 201)
  })
})
