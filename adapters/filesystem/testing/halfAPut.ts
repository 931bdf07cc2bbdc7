/** A process that receives half of an object into the given directory, reports it, and waits. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Stream } from "effect"
import { openStore } from "./store.ts"

const half = Stream.make(new Uint8Array(500_000))
const said = Stream.drain(Stream.fromEffect(Effect.sync(() => process.stdout.write("half of it is written\n"))))

Effect.gen(function* () {
  const { receive } = yield* openStore(process.argv[2] ?? "")
  const bytes = half.pipe(Stream.concat(said), Stream.concat(Stream.never))
  yield* receive({ key: "uploads/killed", contentType: "text/plain", sizeBytes: 1_000_000 }, bytes)
}).pipe(Effect.scoped, NodeRuntime.runMain)
