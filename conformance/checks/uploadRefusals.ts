/** Everything of drawn uploads that must be refused, and changes nothing. */
import { Effect } from "effect"
import type { Config } from "../config/Config.ts"
import {
  type Dialect,
  eachMember,
  type Fields,
  type PreviewInput,
  type Reserved,
  type Violation
} from "../dialect/Dialect.ts"
import type { AccountName, HttpResponse, Json, Manner } from "../session/Exchange.ts"
import { nearKeys } from "../session/live.ts"
import { type NoResponse, Session } from "../session/Session.ts"
import {
  holds,
  inManner,
  isNearRepository,
  isPlainName,
  keyText,
  manners,
  mustNotReveal,
  mustRefuse,
  nearRepositories,
  stepText
} from "./model.ts"
import { objectReader, sameKeyOf } from "./senders.ts"
import { type Attempt, type Stage, isNearToken } from "./drawnMoves.ts"
import { keyOf } from "./steps.ts"
import { type Resource, isPartOf, other } from "./uploadValues.ts"
import { type Uploads, objectsOf } from "./uploadModel.ts"

type Step<A, E = Violation | NoResponse> = Effect.Effect<A, E, Session | Dialect>

/** The repositories that are linked to an account. */
const linkedTo = (accounts: Config["accounts"], account: AccountName) => {
  const { linked, second = linked } = accounts[account]
  return [linked, second]
}

const ownManners: ReadonlyArray<Manner> = [
  ...manners.filter(({ chunked }) => chunked !== true),
  { headers: "forwarded" }
]

/** A token near the right one, and never that itself. */
const nearToken = (near: keyof typeof nearKeys, token: string): string => {
  const other = nearKeys[near](token, "")
  // In a recording, a token is a mark, and another mark would be another token.
  return other === token || token.startsWith("‹") ? `${token}x` : other
}

/** Makes what tries the refused requests of a sequence. */
export const makeRefusals = Effect.fnUntraced(function* (uploads: Uploads) {
  const {
    accounts,
    attempt,
    dialect,
    finalize,
    isBuild,
    nextKey,
    profile,
    query,
    resources,
    rows,
    says,
    send,
    session,
    turn
  } = uploads
  /** Whether a mark is the id of a resource, or a part of the URL by which that is asked for. */
  const isAsked = ({ id }: Resource, mark: string): boolean =>
    id !== undefined &&
    (mark === id || `${session.config.url}/api/v1/${profile}/${encodeURIComponent(id)}`.includes(mark))
  /** A refusal of what was asked for by its id has nothing of the owner and the repository. */
  const mustNotName = ({ account, fields: { owner: of, repo } }: Resource, what: string, answer: HttpResponse) => {
    const names = [of, repo].filter((name) => !Object.values(accounts[other(account)].linked).includes(String(name)))
    const members = [
      ...Object.entries(answer.headers).map(([name, value]) => ({ name, value })),
      ...eachMember(answer.json)
    ]
    const said = members.find(
      ({ name, value }) => /account|owner|org|repo|tenant|team|user/i.test(name) && names.some((one) => one === value)
    )
    const expected = `${what} doesn't name whose it is.`
    return holds(says.visible, said === undefined, expected, `${said?.name}: ${String(said?.value)}`)
  }

  /** Nor has its text, unless the refusal of what doesn't exist has the same words. */
  const mustNotSayWhose = Effect.fnUntraced(function* (
    { account, fields: { owner: of, repo } }: Resource,
    what: string,
    { text }: HttpResponse,
    unknown: Step<HttpResponse, NoResponse>
  ) {
    const theirs = Object.values(accounts[other(account)].linked)
    const wordsOf = (said: string) => new Set(said.split(/[^\p{L}\p{N}_-]+/u))
    const names = [of, repo].map(String).filter((name) => wordsOf(text).has(name) && !theirs.includes(name))
    if (names.length === 0) return
    const known = wordsOf((yield* unknown).text)
    const said = names.filter((name) => !known.has(name))
    yield* holds(says.visible, said.length === 0, `${what} doesn't name whose it is.`, said.join(", "))
  })

  /** The last refused request, until every row is read again. */
  let tried: { readonly sentence: string; readonly what: string } | undefined
  const mustStay = Effect.gen(function* () {
    if (tried === undefined) return
    yield* rows.mustStay(tried.sentence, tried.what, ownManners[turn() % ownManners.length])
    tried = undefined
  })
  /** Tries what must be refused. */
  const tryAll = Effect.fnUntraced(function* (
    one: Resource,
    some: ReadonlyArray<Attempt>,
    input: PreviewInput,
    made: Reserved | undefined,
    stage: Stage,
    idempotencyKey?: string
  ) {
    const reserved = made ?? { token: "", shareId: undefined }
    const creating: Manner = idempotencyKey === undefined ? {} : { idempotencyKey }
    const { linked: own, unlinked } = accounts[one.account]
    const ofOthers = resources.filter(({ account }) => account !== one.account)
    const inCapitals = Object.fromEntries(
      Object.entries({ owner: one.fields.owner, repo: one.fields.repo }).map(([name, said]) => [
        name,
        String(said).toUpperCase()
      ])
    )
    const sibling = { owner: one.fields.owner, repo: unlinked.repo }
    const theirs = accounts[other(one.account)].linked
    for (const { as: given, manner = {}, name, value } of some) {
      const foreign = nextKey(other(one.account))
      const as =
        given === undefined
          ? foreign
          : sameKeyOf(session.config, given, turn() % 4 > 0 ? one.account : other(one.account))
      const [what, kind = ""] = name.split(".")
      const isKey = kind === "key"
      const sentence = isKey ? (typeof as === "string" ? says.key : says.scope) : undefined
      const platform = value === null ? { platform: undefined } : value === undefined ? {} : { platform: value }
      const near = isNearRepository(value)
        ? nearRepositories[value](own, session.unique("near").slice(0, 4))
        : undefined
      const repository = kind === "unlinked" ? unlinked : kind === "sibling" ? sibling : (near ?? {})
      if (linkedTo(accounts, one.account).some((two) => near?.repo === two.repo && near.owner === two.owner)) continue
      const reader = /^(?:unlinked|sibling|near)$/.test(kind) ? keyOf(one.account) : as
      const tokens: Readonly<Record<string, string>> = {
        long: session.unique("long token").repeat(20),
        unknown: session.unique("no token"),
        empty: "",
        ...(isNearToken(value) ? { [value]: nearToken(value, reserved.token) } : {})
      }
      if (isNearToken(value)) yield* session.secret(tokens[value] ?? "")
      const json = { operation: value ?? null, token: reserved.token }
      const url = `${session.config.url}/api/v1/builds`
      const ofForeign: PreviewInput = {
        ...input,
        fields: {
          ...input.fields,
          ...theirs,
          branch: `${String(one.fields.branch)}-${session.unique(`${attempt}.keyed ${turn()}`).slice(0, 6)}`,
          commitSha: session.unique(`${attempt}.keyed ${turn()}`).padEnd(40, "0")
        }
      }
      const others: PreviewInput = { ...input, fields: { ...input.fields, ...repository } }
      const { owner: of, repo } = { owner: one.fields.owner ?? null, repo: one.fields.repo ?? null }
      const orders: Readonly<Record<string, Fields>> = {
        "own first": { owner: [theirs.owner, of], repo: [theirs.repo, repo] },
        "own last": { owner: [of, theirs.owner], repo: [repo, theirs.repo] },
        "other names": { org: theirs.owner, account: theirs.owner, repository: theirs.repo },
        own: { owner: theirs.owner, repo: theirs.repo },
        both: { owner: [theirs.owner, of], repo: [theirs.repo, repo], branch: one.fields.branch ?? null },
        id: { id: one.id ?? null, shareId: one.id ?? null, account: theirs.owner }
      }
      const more = orders[String(value)] ?? {}
      const known = one.id ?? ""
      const ids: Readonly<Record<string, string>> = {
        upper: known.toUpperCase(),
        shorter: known.slice(0, -1),
        encoded: encodeURIComponent(known),
        "%": "%",
        "*": "*",
        "0": "0"
      }
      const id = ids[String(value)] ?? known
      const slot = made?.slots[Number(value ?? 0) % made.slots.length]
      const objectUrl = slot?.putUrl.split("?")[0] ?? session.config.url
      const all: Readonly<
        Record<string, readonly [sentence: string, send: Step<HttpResponse, NoResponse>, isNotFound?: boolean]>
      > = {
        "finalize.foreign": [says.account, finalize(reserved, foreign)],
        "finalize.key": [sentence ?? "", finalize(reserved, as)],
        "finalize.token": [
          isBuild ? "builds.finalize.operation" : says.ready,
          finalize({ ...reserved, token: tokens[String(value)] ?? String(value) }, keyOf(one.account))
        ],
        "finalize.operation": [
          "builds.finalize.operation",
          session.exchange({ method: "POST", url, as: keyOf(one.account), json })
        ],
        "finalize.typed": [
          "builds.finalize.operation",
          session.exchange({
            method: "POST",
            url,
            as: keyOf(one.account),
            json: { operation: "finalize", token: value ?? null }
          })
        ],
        "finalize.missing": ["previews.finalize.verifies", finalize(reserved, keyOf(one.account))],
        // As a repetition too: what the first one made is for keys with the scope.
        "reserve.key": [sentence ?? "", inManner(send(others, as), { ...manner, ...creating })],
        "reserve.foreign": [
          "builds.reserve.repository-belongs",
          inManner(send(others, foreign), { ...manner, ...creating })
        ],
        "reserve.keyed": [says.visible, inManner(send(ofForeign, foreign), { ...manner, ...creating })],
        "reserve.unlinked": ["builds.reserve.repository-belongs", send(others, reader)],
        "reserve.sibling": ["builds.reserve.repository-belongs", send(others, reader)],
        "reserve.near": ["builds.reserve.repository-belongs", send(others, reader)],
        "reserve.billed": [
          "auth.scope-billed-previews",
          send({ ...input, fields: { ...input.fields, billingKind: "test_run" } }, as)
        ],
        "latest.key": [sentence ?? "", dialect.latestBuild(query(one), as)],
        "latest.foreign": [
          "builds.latest.not-linked",
          dialect.latestBuild({ ...query(one), ...(value === "capitals" ? inCapitals : platform) }, foreign),
          value !== "capitals"
        ],
        "latest.unlinked": [
          "builds.latest.not-linked",
          dialect.latestBuild({ ...query(one), ...repository, ...platform }, reader),
          true
        ],
        "latest.sibling": [
          "builds.latest.not-linked",
          dialect.latestBuild({ ...query(one), ...repository, ...platform }, reader),
          true
        ],
        "latest.near": [
          "builds.latest.not-linked",
          dialect.latestBuild({ ...query(one), ...repository }, reader),
          isPlainName(String(value))
        ],
        // Which of two values counts isn't said, so the other account may read its own repository.
        "latest.twice": ["auth.visibility", dialect.latestBuild({ ...query(one), ...more }, foreign)],
        "latest.odd": [
          "builds.latest.not-linked",
          dialect.latestBuild({ ...query(one), ...unlinked, branch: value ?? null }, keyOf(one.account))
        ],
        stored: [
          says.visible,
          session.exchange({
            method: "GET",
            url: objectUrl,
            as: objectReader(session.config, objectUrl, foreign, turn())
          })
        ],
        "read.method": [
          says.visible,
          session.exchange({
            method: String(value),
            url: `${session.config.url}/api/v1/${profile}/${encodeURIComponent(known)}`,
            as: foreign,
            ...(value === "DELETE" ? {} : { json: { status: "failed" } })
          })
        ],
        "read.elsewhere": [says.visible, isBuild ? dialect.preview(known, as) : dialect.build(known, as)],
        "read.key": [sentence ?? "", isBuild ? dialect.build(id, as) : dialect.preview(id, as)],
        "read.foreign": isBuild
          ? ["builds.read.not-linked", dialect.build(id, foreign), typeof value !== "string"]
          : ["previews.read.own-only", dialect.preview(id, foreign)],
        "read.named": isBuild
          ? ["builds.read.not-linked", dialect.build(id, foreign, more)]
          : ["previews.read.own-only", dialect.preview(id, foreign, more)]
      }
      const found = all[name]
      const isLate = name === "finalize.missing" && stage > 2
      // Without a query, the path is what is signed.
      const isUnsigned = what === "stored" && slot?.putUrl.includes("?") !== true
      if (found === undefined || isLate || isUnsigned || (what === "read" && one.id === undefined)) continue
      const [cited, sending, isNotFound] = found
      const text = `${stepText(name, { by: keyText(as), with: value === undefined ? undefined : JSON.stringify(value) }, manner)} at stage ${stage}`
      const answer = yield* inManner(sending, manner)
      // Which of two repositories counts isn't said, and other methods may be those of a target.
      if (what === "stored") {
        const bytes = new TextDecoder().decode(slot?.content.bytes.slice(0, 400))
        yield* mustNotReveal(cited, text, answer, [bytes])
      } else if (!/^(?:twice|keyed|method)$/.test(kind)) yield* mustRefuse(cited, text, answer, manner, isNotFound)
      // A refusal may repeat what was asked for, and what follows from that.
      const objects = objectsOf(input).flatMap(([path, { content }]) => [path, content.sha256])
      const asked: Readonly<Record<string, Json>> = {
        read: [id],
        finalize: [reserved.token, reserved.shareId ?? ""],
        reserve: [...Object.values(input.fields).map((one) => one ?? null), input.bundle.content.sha256, ...objects]
      }
      const repeated = JSON.stringify([asked[what ?? ""] ?? Object.values(query(one)).map((one) => one ?? null), more])
      // To its own account, what it has may be named by the id that was asked for.
      const isOfOwn = typeof as === "object" && as.account === one.account
      const isHidden = (mark: string) =>
        !repeated.includes(mark) &&
        !(isOfOwn && known !== "" && repeated.includes(known) && mark.includes(known)) &&
        !isAsked(one, mark) &&
        !ofOthers.some(({ marks }) => isPartOf(marks, mark))
      if (what === "read" && !isOfOwn) yield* mustNotName(one, text, answer)
      if (name === "finalize.foreign") {
        const unknown = finalize({ ...reserved, token: tokens["unknown"] ?? "" }, as)
        yield* mustNotSayWhose(one, text, answer, unknown)
      }
      if (kind === "keyed" && made !== undefined)
        yield* mustNotReveal(cited, text, answer, [made.token, ...made.slots.map(({ putUrl }) => putUrl)])
      const isOwn = /^(?!read|latest).*\.(?:token|operation|typed|missing|unlinked|sibling|near|billed|key)$/.test(name)
      if (!isOwn || typeof as === "string") yield* mustNotReveal(cited, text, answer, [...one.marks].filter(isHidden))
      yield* rows.touch
      tried = { sentence: cited, what: text }
    }
    // The row of what is being uploaded may show how much of it has arrived.
    if (stage === 0 || stage > 2) yield* mustStay
  })
  return { isAsked, tryAll, mustStay, isTried: () => tried !== undefined }
})
