import { Context, Effect, Layer, Redacted, Stream } from "effect"
import { existsSync } from "node:fs"
import * as filesystem from "../../../../adapters/filesystem/index.ts"
import { ObjectSink } from "../../../../adapters/signed-urls/ObjectSink.ts"
import { SignedUrls } from "../../../../adapters/signed-urls/SignedUrls.ts"
import { ObjectStore } from "../../../../core/ports/ObjectStore.ts"
import { dataFolder } from "../../settings/dataFolder.ts"
import { fine, orWrong, type Finding } from "../parts/Finding.ts"
import { messageOf } from "../../engineErrors/networkFault.ts"
import { roundTripFinding } from "../parts/roundTrip.ts"

const name = "filesystem"
const contentType = "text/plain"
const bytes = new TextEncoder().encode("slipway doctor\n")

/** Checks the object store of a data folder by storing, reading and deleting one object. */
export const checkFilesystem = (data: string): Effect.Effect<Finding> => {
  const directory = dataFolder(data).objects
  if (!existsSync(directory)) return Effect.succeed(fine(name, "no objects yet; the first start makes their folder"))
  // No URL is signed here, so any secret will do.
  const urls = SignedUrls.layer({ secret: Redacted.make(crypto.randomUUID()), baseUrl: "http://localhost" })
  return Effect.gen(function* () {
    const context = yield* Layer.build(filesystem.layer({ directory }).pipe(Layer.provide(urls)))
    const [store, sink] = [Context.get(context, ObjectStore), Context.get(context, ObjectSink)]
    const prefix = `doctor/${crypto.randomUUID()}/`
    const key = `${prefix}stored`
    yield* sink.receive({ key, contentType, sizeBytes: bytes.byteLength }, Stream.make(bytes))
    return yield* Effect.ensuring(
      roundTripFinding(name, store, { prefix, key, contentType, bytes }),
      Effect.ignore(Effect.flatMap(store.list(prefix), (left) => store.remove(left.map(({ key }) => key))))
    )
  }).pipe(
    Effect.scoped,
    orWrong(name, (error) => ({
      detail: `objects can't be stored in ${directory}: ${messageOf(error)}`,
      hint: "check the folder and its disk"
    }))
  )
}
