/** What the cases of the service share: hosts, a team that uploads, and the uploaded content. */
import { assert } from "@effect/vitest"
import { Cause, Effect, Layer, References, Result, Stream } from "effect"
import { createHash } from "node:crypto"
import { layer as layerCore, type Services } from "../../../core/layer.ts"
import { type Caller, KeyId } from "../../../core/model/ApiKey.ts"
import type { BuildDeclaration, BuildIdentity } from "../../../core/model/Build.ts"
import { Unavailable } from "../../../core/model/Problem.ts"
import { ObjectStore, type OpenObject } from "../../../core/ports/ObjectStore.ts"
import type { MetadataPorts } from "../../../core/ports/registry.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { type ReserveBuild } from "../../../core/service/beforeReserve.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { Settings } from "../../../core/service/Settings.ts"
import type { Slots } from "../../../core/service/Uploads.ts"
import { type Fault, Faults, faulty } from "../parts/injectFaults.ts"
import { put } from "../parts/objectStoreHarness.ts"
import { idAt, makeIdentity } from "../parts/samples.ts"
import { newHome } from "../parts/stored.ts"

export type { Services }

/** Every port that the service needs. */
export type ServicePorts = MetadataPorts | ObjectStore

/** The service on the given stores, each of whose calls can be made to fail. It doesn't log these failures. */
export const layerService: Layer.Layer<Services | Faults | ServicePorts, never, ServicePorts> = layerCore.pipe(
  Layer.provideMerge(faulty(Layer.effectContext(Effect.context<ServicePorts>()))),
  Layer.provide(Settings.layer({ url: "http://127.0.0.1" })),
  Layer.merge(Layer.succeed(References.MinimumLogLevel, "None"))
)

/** A new account with a linked repository, and a caller who has every scope. */
export const newTeam = Effect.map(newHome, ({ account, repository }) => {
  const caller: Caller = {
    account,
    keyId: KeyId.make(idAt(1)),
    scopes: ["builds", "preview_upload", "test_runs"]
  }
  return { account, repository, caller }
})

export type Team = Effect.Success<typeof newTeam>

const type = "text/javascript"

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** A bundle and two files, all different, one of them without a digest. */
export const newContent = (marker: string) =>
  ["bundle", "first file", "second file"].map((name) => new TextEncoder().encode(`${name} ${marker} ${idAt(1)}`))

export type Content = ReturnType<typeof newContent>

export const declarationOf = ([bundle = new Uint8Array(), ...files]: Content): BuildDeclaration => ({
  contentHash: digest(bundle),
  bundleSizeBytes: bundle.byteLength,
  bundleContentType: type,
  isTransformed: false,
  files: files.map((bytes, index) => ({
    path: `files/${index}`,
    sizeBytes: bytes.byteLength,
    contentType: type,
    ...(index === 0 ? { contentHash: digest(bytes) } : {})
  }))
})

/** Reserves a build of the team's repository for the content. */
export const buildOf = (
  { repository: { owner, repo } }: Team,
  content: Content,
  identity = makeIdentity()
): ReserveBuild => ({ owner, repo, identity, declaration: declarationOf(content) })

/** PUTs the content to the slots of its reservation. */
export const putAll = ({ bundle, files }: Slots, content: Content) =>
  Effect.forEach([bundle, ...files], ({ contentType, putUrl }, index) =>
    Effect.map(put(putUrl, contentType, content[index] ?? new Uint8Array()), ({ status }) =>
      assert.strictEqual(status, 200)
    )
  )

/** A build that is reserved and uploaded, and not finalized. */
export const uploadedBuild = (team: Team, content: Content, identity?: BuildIdentity) =>
  Effect.gen(function* () {
    const request = buildOf(team, content, identity)
    const { id, slots, token } = yield* (yield* Builds).reserve(team.caller, request)
    yield* putAll(slots, content)
    return { id, token, content, identity: request.identity }
  })

/** Every byte of an object that is opened. */
const bytesOf = <E, R>(opened: Effect.Effect<OpenObject, E, R>) =>
  Effect.flatMap(opened, ({ stream }) => Stream.mkUint8Array(stream))

/** What a build hosts: its bundle and its files, read whole. */
export const hostedByBuild = (caller: Caller, id: Parameters<Builds["Service"]["read"]>[1]) =>
  Effect.gen(function* () {
    const builds = yield* Builds
    const { upload } = yield* builds.read(caller, id)
    const paths = [undefined, ...upload.declaration.files.map(({ path }) => path)]
    return yield* Effect.forEach(paths, (path) => bytesOf(builds.open(caller, id, { path })))
  }).pipe(Effect.scoped)

export const hostedByPreview = (caller: Caller, shareId: Parameters<Previews["Service"]["read"]>[1]) =>
  Effect.gen(function* () {
    const previews = yield* Previews
    const { declaration } = yield* previews.read(caller, shareId)
    const names = ["bundle", ...declaration.files.map((_, index) => `files/${index}`)]
    return yield* Effect.forEach(names, (name) => bytesOf(previews.open(caller, shareId, { name })))
  }).pipe(Effect.scoped)

/** The keys of all objects: those of the case, as each has its own store. */
export const storedKeys = Effect.gen(function* () {
  const store = yield* ObjectStore
  return [...(yield* store.list("uploads/")), ...(yield* store.list("hosted/"))].map(({ key }) => key)
})

/**
 * Plays a scene once for every call of the stores that it makes and every fault that the call can have, each time in a
 * new world. The scene must succeed or fail with `Unavailable`. `then` asserts what has to hold afterwards, when
 * nothing fails any more.
 */
const forEachCall =
  (faultsOf: (method: string) => ReadonlyArray<Fault>) =>
  <W, E2, R2, A, E, R, Step extends Effect.Effect<unknown, unknown, unknown>>(
    begin: Effect.Effect<W, E2, R2>,
    act: (world: W) => Effect.Effect<A, E, R>,
    then: (world: W, result: Result.Result<A, E | Unavailable>) => Generator<Step, void, never>
  ) =>
    Effect.gen(function* () {
      const faults = yield* Faults
      const rehearsal = yield* Effect.flatMap(begin, (world) => faults.during(() => undefined)(act(world)))
      assert.isAbove(rehearsal.calls.length, 0, "calls of the stores")
      for (const { method, nth } of rehearsal.calls) {
        for (const fault of faultsOf(method)) {
          const world = yield* begin
          const { answer: result, unplanned } = yield* faults.during((call) => (call.nth === nth ? fault : undefined))(
            Effect.result(act(world))
          )
          const where = [`with ${fault} at call ${nth}, of ${method}`, ...unplanned].join("; ")
          if (Result.isFailure(result)) assert.instanceOf(result.failure, Unavailable, where)
          yield* Effect.catchCause(
            Effect.gen(() => then(world, result)),
            (cause) => Effect.die(new Error(where, { cause: Cause.squash(cause) }))
          )
        }
      }
    })

/** Each call fails once in each way that it can. */
export const failEachCall = forEachCall((method) =>
  method === "ObjectStore.read" ? ["before", "after", "midStream"] : ["before", "after"]
)

/** Each call is late once, so that others overtake it. */
export const delayEachCall = forEachCall(() => ["late"])
