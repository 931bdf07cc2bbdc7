/**
 * The least that a server has to do: `node:http`, JSON, and the calls to the ports that an operation needs. No router, no
 * schema, no scopes, no problems, no logs. It implements what `load.ts` requests of the interface.
 */
import { Context, DateTime, Duration, Effect, Option, Stream } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import type { IncomingMessage, RequestListener } from "node:http"
import { text } from "node:stream/consumers"
import { ObjectSink } from "../../adapters/signed-urls/ObjectSink.ts"
import { BuildId, type BuildReservation } from "../../core/model/Build.ts"
import { repositoryKey } from "../../core/model/Repository.ts"
import { ReservationId } from "../../core/model/Reservation.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { onFinalize, onReserve } from "../../core/rules/builds.ts"
import { declaredObjects, hostedPrefix, stagingPrefix } from "../../core/rules/reservations.ts"
import { hashSecret } from "../../core/rules/secrets.ts"
import { decompressionBudget } from "../../core/service/decompressionBudget.ts"
import { passingDigest } from "../../core/service/passingDigest.ts"

type BarePorts = KeyStore | BuildStore | TestRunStore | ObjectStore | ObjectSink

const account = Effect.fnUntraced(function* (request: IncomingMessage) {
  const key = (request.headers.authorization ?? "").slice("Bearer ".length)
  const owner = yield* Effect.flatMap(KeyStore, (keys) => keys.findByHash(hashSecret(key)))
  return (yield* Effect.fromOption(owner)).account.id
})

const readBuild = Effect.fnUntraced(function* (request: IncomingMessage, id: string) {
  const by = yield* account(request)
  return Option.getOrThrow(yield* (yield* BuildStore).findById(by, BuildId.make(id)))
})

const readLatest = Effect.fnUntraced(function* (request: IncomingMessage, query: URLSearchParams) {
  const by = yield* account(request)
  const key = repositoryKey(query.get("owner") ?? "", query.get("repo") ?? "")
  const now = yield* DateTime.now
  return Option.getOrThrow(yield* (yield* BuildStore).findLatest(by, key, query.get("branch") ?? "", "ios", now))
})

const listRuns = Effect.fnUntraced(function* (request: IncomingMessage, query: URLSearchParams) {
  const by = yield* account(request)
  const repository = repositoryKey(query.get("org") ?? "", query.get("repo") ?? "")
  const page = { account: by, repository, filter: {}, after: Option.none(), limit: 21 }
  return Option.getOrThrow(yield* (yield* TestRunStore).list(page))
})

interface ReserveBody {
  readonly owner: string
  readonly repo: string
  readonly branch: string
  readonly commitSha: string
  readonly contentHash: string
  readonly bundleSizeBytes: number
  readonly bundleContentType: string
}

const reserve = Effect.fnUntraced(function* (request: IncomingMessage, body: ReserveBody, url: string) {
  const by = yield* account(request)
  const store = yield* BuildStore
  const { branch, bundleContentType, bundleSizeBytes, commitSha, contentHash, owner, repo } = body
  const identity = { branch, commitSha, platform: "ios" } as const
  const slot = Option.getOrThrow(yield* store.loadForReserve(by, repositoryKey(owner, repo), identity))
  const token = randomBytes(32).toString("base64url")
  const newId = BuildId.make(randomUUID())
  const reservedAt = yield* DateTime.now
  const before = Option.getOrUndefined(slot.build)
  const reservation: BuildReservation = {
    id: ReservationId.make(randomUUID()),
    tokenHash: hashSecret(token),
    accountId: by,
    buildId: before?.id ?? newId,
    declaration: { bundleContentType, bundleSizeBytes, contentHash, isTransformed: false, files: [] },
    reservedAt,
    expiresAt: DateTime.addDuration(reservedAt, Duration.hours(1))
  }
  const build = onReserve(before, { id: newId, repository: slot.repository, identity, reservation })
  yield* store.commitReserve({ build, reservation })
  const key = `${stagingPrefix(reservation)}bundle`
  return { token, slots: { bundle: { putUrl: `${url}/${key}?${bundleSizeBytes}` } } }
})

const receive = Effect.fnUntraced(function* (request: IncomingMessage, key: string, sizeBytes: number) {
  const contentType = request.headers["content-type"] ?? ""
  const bytes = Stream.fromAsyncIterable<Uint8Array, unknown>(request, (error) => error)
  const digest = yield* passingDigest({ contentType }, decompressionBudget(sizeBytes))
  yield* (yield* ObjectSink).receive({ key, contentType, sizeBytes }, bytes, digest)
}, Effect.scoped)

const finalize = Effect.fnUntraced(function* (request: IncomingMessage, token: string) {
  const by = yield* account(request)
  const store = yield* BuildStore
  const objects = yield* ObjectStore
  const found = Option.getOrThrow(yield* store.findByToken(hashSecret(token)))
  if (found.reservation.accountId !== by) return yield* Effect.die("another account's token")
  const [staging, hosted] = [stagingPrefix(found.reservation), hostedPrefix(found.reservation, randomUUID())]
  for (const { name } of declaredObjects(found.reservation.declaration)) {
    yield* objects.promote(staging + name, hosted + name)
    const [listed] = yield* objects.list(hosted)
    if (listed?.contentHash === undefined) return yield* Effect.die("the digest was taken as the bytes came in")
    yield* objects.remove([staging + name])
  }
  const current = Option.getOrThrow(yield* store.findByToken(hashSecret(token)))
  const next = onFinalize(current.build, current.reservation, { now: yield* DateTime.now, hostedPrefix: hosted })
  yield* store.commitFinalize(next)
  return next.build
}, Effect.scoped)

/** Answers at `url`, on the ports of the context. */
export const bareHandler =
  (context: Context.Context<BarePorts>, url: () => string): RequestListener =>
  (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://bare")
    const run = Effect.runPromiseWith(context)
    const answer = async (): Promise<unknown> => {
      if (request.method === "PUT") {
        return run(receive(request, pathname.slice(1), Number([...searchParams.keys()][0])))
      }
      if (request.method === "POST") {
        const body: ReserveBody & { readonly token?: string } = JSON.parse(await text(request))
        return body.token === undefined ? run(reserve(request, body, url())) : run(finalize(request, body.token))
      }
      if (pathname === "/api/v1/test-runs") return run(listRuns(request, searchParams))
      if (pathname === "/api/v1/builds") return run(readLatest(request, searchParams))
      return run(readBuild(request, pathname.slice(pathname.lastIndexOf("/") + 1)))
    }
    answer().then(
      (value) => {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value ?? null))
      },
      (error: unknown) => {
        // At the end of a round the load aborts the requests that are under way.
        if (!request.socket.destroyed) console.error(error)
        response.writeHead(500).end()
      }
    )
  }
