/**
 * Sends the requests of drawn sequences by any key that may send them and in any manner that must not matter, and watches
 * that no answer has anything of another account in it.
 */
import { Effect } from "effect"
import { Dialect, eachMember, Violation, type Fields, type PreviewInput, type BuildInput } from "../dialect/Dialect.ts"
import {
  CurrentManner,
  mannerText,
  type AccountName,
  type Credential,
  type HttpResponse,
  type Json,
  type KeyName,
  type Manner
} from "../session/Exchange.ts"
import { Session } from "../session/Session.ts"
import type { Config } from "../config/Config.ts"
import { answered2xx, keyOf, type Profile } from "./steps.ts"

/** The keys that have the scope of a profile. */
export const rightKeys: Readonly<Record<Profile, ReadonlyArray<KeyName>>> = {
  builds: ["all", "builds", "withoutPreviewUpload", "withoutTestRuns"],
  previews: ["all", "previewUpload", "withoutBuilds", "withoutTestRuns"],
  testRuns: ["all", "testRuns", "withoutBuilds", "withoutPreviewUpload"]
}

/** The key of this name, or the one with all scopes where the config doesn't have it. */
export const keyIn = (config: Config, account: AccountName, key: KeyName): Credential => {
  const isSingle = !key.startsWith("without")
  const isThere =
    account === "b"
      ? isSingle && config.scopedKeysOfB === true
      : isSingle
        ? config.scopedKeys !== false
        : config.pairsOfScopes === true
  return keyOf(account, isThere ? key : "all")
}

/** The caller of a stored object without its signature: nobody, or the other account where that sends its key to no other host. */
export const objectReader = (config: Config, url: string, foreign: Credential, turn: number): Credential =>
  turn % 3 === 0 || new URL(url).origin !== new URL(config.url).origin ? "none" : foreign

/** The key of this name, of an account that has it. */
export const sameKeyOf = (config: Config, as: Credential, account: AccountName): Credential =>
  typeof as === "object" && config.scopedKeysOfB === true && !as.key.startsWith("without") ? { ...as, account } : as

/** Manners that every request must be accepted in. Only a length of a body, and its type, may be insisted on. */
const anyManners: ReadonlyArray<Manner> = [
  {},
  { close: true },
  { capitals: true },
  { headers: "tracing" },
  { headers: "browser" },
  { headers: "proxy" },
  { headers: "encodings" }
]
const bodyManners: ReadonlyArray<Manner> = [
  ...anyManners,
  { spelled: true },
  { accept: "any" },
  { accept: "listed" },
  { accept: "none" },
  { headers: "forwarded" }
]
const mannersOf: Readonly<Record<"post" | "read" | "put", ReadonlyArray<Manner>>> = {
  put: anyManners,
  post: [...bodyManners, { headers: "ranged" }],
  read: [...bodyManners, { headers: "typed" }, { headers: "stale" }, { gzip: true }]
}

const sentences = {
  builds: { hidden: "auth.visibility", urls: "builds.read.same-shape" },
  previews: { hidden: "previews.read.own-only", urls: "previews.metadata.groups" },
  testRuns: { hidden: "runs.list.repository-linked", urls: "runs.register.absolute-urls" }
} as const

/** What a text has that no other one has by chance. Ids of one moment may begin with the same twelve digits, in two groups. */
const marksIn = (text: string): ReadonlyArray<string> => text.match(/(?=[a-f]*\d)[0-9a-f]{12,}/g) ?? []

const textsIn = (json: Json): ReadonlyArray<string> =>
  [...eachMember(json)].flatMap(({ value }) => (typeof value === "string" ? [value] : []))

/** The texts by which an upload or a run is known. */
const ownTexts = (fields: Fields): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || /^(?:owner|repo|previewShareId)$/.test(name) ? [] : textsIn(value)
  )
const uploadTexts = ({ bundle, fields, files, ...more }: BuildInput | PreviewInput): ReadonlyArray<string> => {
  const recordings = "recordings" in more ? more.recordings : []
  return [
    ...ownTexts(fields),
    ...[bundle, ...files, ...recordings].map(({ content }) => content.sha256),
    ...files.map(({ path }) => path),
    ...recordings.map(({ name }) => name)
  ]
}

interface Sending {
  readonly verb: string
  readonly profile: Profile
  readonly as: Credential
  /** The same in each run of the sequence, whatever is sent beside it. Without one, requests are counted. */
  readonly stable?: string
  /** Whose what is asked for is, as far as is known. */
  readonly owner?: AccountName | undefined
  /** Whether its key stays the given one. */
  readonly isFixed?: boolean
  /** What is asked for. */
  readonly asked: Json
  /** What its account alone has, once it is accepted. */
  readonly own?: ReadonlyArray<string>
}

/** With what an answer can be asked for again. */
export const conditionsOf = ({ headers: { etag, "last-modified": modified } }: HttpResponse): ReadonlyArray<Manner> => [
  ...(etag === undefined ? [] : [{ ifNoneMatch: etag }]),
  ...(modified === undefined ? [] : [{ ifModifiedSince: modified }])
]

/** The dialect of a sequence. */
export const makeSenders = Effect.gen(function* () {
  const dialect = yield* Dialect
  const { config, unique } = yield* Session
  const turns = new Map<string, number>()
  const owners = new Map<string, Set<AccountName>>()
  /** Who was first shown a text. An id that one account sends may be one of another account. */
  const shown = new Map<string, AccountName>()
  /** The account of each read that was answered, and by which headers that can be asked for again. */
  const reads = new Map<string, { readonly account: AccountName; readonly conditions: ReadonlyArray<Manner> }>()
  const reserving = new WeakMap<HttpResponse, Credential>()
  const reserved = new Map<string, { readonly account: AccountName; readonly isBilled: boolean }>()
  let found: Violation | undefined
  let last = ""

  const numberOf = (label: string) => Number.parseInt(unique(`sender ${label}`).slice(0, 8), 16)
  const turnOf = ({ stable, verb }: Sending): number => {
    if (stable !== undefined) return numberOf(`${verb} ${stable}`)
    const turn = (turns.get(verb) ?? numberOf(verb)) + 1
    turns.set(verb, turn)
    return turn
  }
  const at = <A>(values: ReadonlyArray<A>, place: number): A => values[place % values.length] as A

  /** Any key of the same account with the same scope, and any key that is as wrong. */
  const keyFor = ({ as, isFixed = false, owner = "a", profile }: Sending, turn: number): Credential => {
    if (as === "none" || as === "unknown" || as === "empty" || isFixed) return as
    const names = rightKeys[profile]
    if (typeof as === "object") return names.includes(as.key) ? keyIn(config, as.account, at(names, turn)) : as
    const near = keyIn(config, owner, at(names, turn))
    return as.includes(" ") || typeof near === "string" || (near.account === "a" && near.key === "all")
      ? as
      : (`${as} ${near.account}.${near.key}` as Credential)
  }

  const watch = (sending: Sending, by: Credential, manner: Manner, answer: HttpResponse): void => {
    const { asked, own = [], profile } = sending
    const account = typeof by === "object" ? by.account : undefined
    if (account !== undefined && answered2xx(answer))
      for (const mark of own.flatMap(marksIn))
        if (owners.has(mark) || (shown.get(mark) ?? account) === account)
          owners.set(mark, (owners.get(mark) ?? new Set()).add(account))
    const text = [answer.text, ...Object.values(answer.headers)].join("\n")
    if (account !== undefined) for (const mark of marksIn(text)) if (!shown.has(mark)) shown.set(mark, account)
    const repeated = new Set(marksIn(JSON.stringify(asked)))
    const isForeign = (mark: string) => {
      const of = owners.get(mark)
      return of !== undefined && (account === undefined || !of.has(account)) && !repeated.has(mark)
    }
    const [revealed] = found === undefined ? marksIn(text).filter(isForeign) : []
    const how = `The answer to ${sending.verb} ${last}`
    if (revealed !== undefined)
      found = new Violation({
        expected: `An answer has nothing of another account in it. [${sentences[profile].hidden}]`,
        came: `${how} has ${revealed}: ${answer.text.slice(0, 300)}`
      })
    if (found === undefined && manner.headers === "forwarded" && text.includes("//mirror.example"))
      found = new Violation({
        expected: `No URL is made from the headers of a request. [${sentences[profile].urls}]`,
        came: `${how} has a URL of mirror.example.`
      })
  }

  const send = Effect.fnUntraced(function* <E, R>(
    sending: Sending,
    kind: keyof typeof mannersOf,
    request: (as: Credential) => Effect.Effect<HttpResponse, E, R>
  ) {
    const given = yield* CurrentManner
    const turn = turnOf(sending)
    const manners = mannersOf[kind]
    const known = kind === "read" ? reads.get(JSON.stringify([sending.verb, sending.asked])) : undefined
    const owner = known?.account ?? sending.owner
    // A key goes round beside the manners, so that each comes with each.
    const by = keyFor(
      { ...sending, ...(owner === undefined ? {} : { owner }) },
      turn + Math.floor(turn / manners.length)
    )
    const isOwn = typeof by === "object" && by.account === known?.account && rightKeys[sending.profile].includes(by.key)
    const conditions = known === undefined || isOwn ? [] : known.conditions
    // Others send what only the owner received.
    const dealt = turn % 3 > 0 && conditions.length > 0 ? at(conditions, turn) : at(manners, turn)
    // A URL for uploads that is made from a header would be that of another host.
    const isUpload = dealt.headers === "forwarded" && sending.verb.startsWith("reserve")
    const isWhole = "head" in given || "path" in given || "socket" in given || "ifNoneMatch" in given
    const manner = isWhole || "ifModifiedSince" in given ? given : { ...(isUpload ? {} : dealt), ...given }
    last = `by ${typeof by === "string" ? by : `${by.account}.${by.key}`}${mannerText(manner) === "" ? "" : `, ${mannerText(manner)}`}`
    const answer = yield* Effect.provideService(request(by), CurrentManner, manner)
    if (kind !== "put") watch(sending, by, manner, answer)
    if (kind === "read" && typeof by === "object" && answered2xx(answer)) {
      reads.set(JSON.stringify([sending.verb, sending.asked]), {
        account: by.account,
        conditions: conditionsOf(answer)
      })
    }
    return answer
  })

  const accountIn = ({ owner, repo }: Fields): AccountName | undefined => {
    const { a, b } = config.accounts
    const isOf = ({ linked, second }: typeof a) =>
      [linked, second].some((one) => one?.owner === owner && one?.repo === repo)
    return isOf(a) ? "a" : isOf(b) ? "b" : undefined
  }
  const reserve = (verb: string, profile: Profile, input: BuildInput | PreviewInput, as: Credential) => ({
    verb,
    profile,
    as,
    asked: [...uploadTexts(input), ...textsIn(Object.values(input.fields).map((value) => value ?? null))],
    stable: JSON.stringify([input.fields.commitSha ?? "", input.bundle.content.sha256, keyText(as)]),
    owner: accountIn(input.fields),
    own: uploadTexts(input),
    // A billed preview needs another scope too.
    isFixed: input.fields.billingKind !== undefined
  })
  const keyText = (as: Credential): string => (typeof as === "string" ? as : `${as.account}.${as.key}`)
  const finalize = (verb: string, profile: Profile, token: string, as: Credential) => ({
    verb,
    profile,
    as,
    asked: [token],
    owner: reserved.get(token)?.account,
    isFixed: reserved.get(token)?.isBilled === true
  })
  const remembering =
    (as: Credential) =>
    <E, R>(answer: Effect.Effect<HttpResponse, E, R>) =>
      Effect.tap(answer, (one) => Effect.sync(() => void reserving.set(one, as)))
  const json = (fields: Fields): Json => Object.entries(fields).map(([name, value]) => [name, value ?? null])

  const varied = Dialect.of({
    ...dialect,
    reserveBuild: (input, as) =>
      send(reserve("reserveBuild", "builds", input, as), "post", (by) => dialect.reserveBuild(input, by)).pipe(
        remembering(as)
      ),
    reservePreview: (input, as) =>
      send(reserve("reservePreview", "previews", input, as), "post", (by) => dialect.reservePreview(input, by)).pipe(
        remembering(as)
      ),
    reserved: (answer, input) =>
      dialect.reserved(answer, input).pipe(
        Effect.tap(({ token }) =>
          Effect.sync(() => {
            const as = reserving.get(answer)
            if (typeof as === "object")
              reserved.set(token, { account: as.account, isBilled: input.fields.billingKind !== undefined })
          })
        )
      ),
    finalizeBuild: (token, as) =>
      send(finalize("finalizeBuild", "builds", token, as), "post", (by) => dialect.finalizeBuild(token, by)),
    finalizePreview: (one, as) =>
      send(finalize("finalizePreview", "previews", one.token, as), "post", (by) => dialect.finalizePreview(one, by)),
    latestBuild: (query, as) =>
      send({ verb: "latestBuild", profile: "builds", as, asked: json(query), owner: accountIn(query) }, "read", (by) =>
        dialect.latestBuild(query, by)
      ),
    build: (id, as, query) =>
      send({ verb: "build", profile: "builds", as, asked: [id, json(query ?? {})] }, "read", (by) =>
        dialect.build(id, by, query)
      ),
    preview: (id, as, query) =>
      send({ verb: "preview", profile: "previews", as, asked: [id, json(query ?? {})] }, "read", (by) =>
        dialect.preview(id, by, query)
      ),
    registerRun: (fields, as) =>
      send(
        {
          verb: "registerRun",
          profile: "testRuns",
          as,
          asked: json(fields),
          stable: JSON.stringify([fields.name ?? "", fields.prompt ?? "", fields.kind ?? "", keyText(as)]),
          owner: accountIn(fields),
          own: ownTexts(fields)
        },
        "post",
        (by) => dialect.registerRun(fields, by)
      ),
    listRuns: (query, as) =>
      send(
        {
          verb: "listRuns",
          profile: "testRuns",
          as,
          asked: json(query),
          owner: accountIn({ owner: query.org, repo: query.repo })
        },
        "read",
        (by) => dialect.listRuns(query, by)
      ),
    put: (slot, sent) =>
      send(
        {
          verb: "put",
          profile: "builds",
          as: "none",
          asked: [],
          stable: `${sent.content.sha256} ${sent.method ?? ""}`
        },
        "put",
        () => dialect.put(slot, sent)
      )
  })
  return { dialect: varied, found: () => found, last: () => last }
})
