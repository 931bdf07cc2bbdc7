/** The values of drawn uploads: what lies near a build, and the declared files and recordings. */
import { Effect } from "effect"
import type { BuildInput, DeclaredFile, DeclaredRecording, Fields, PreviewInput, Reserved } from "../dialect/Dialect.ts"
import type { AccountName, Credential, Json } from "../session/Exchange.ts"
import { isRoom } from "../session/fileKinds.ts"
import { Session } from "../session/Session.ts"
import { type Sequence, type What, recordingKinds } from "./drawnMoves.ts"
import { digitsIn, nameTwins } from "./model.ts"
import { buildInput, commitSha, previewInput } from "./steps.ts"

/** A build by its identity, or a preview. */
export interface Resource {
  readonly of: number
  readonly account: AccountName
  readonly fields: Fields
  /** Whether a target may refuse its fields. */
  readonly isOdd: boolean
  url?: string
  id?: string
  /** What nobody else may see of it. */
  readonly marks: Set<string>
  /** Whether only the step that made it reads it by its id. */
  readonly isMinor: boolean
  isReady: boolean
  /** Whether it was reserved after its last finalize. */
  isOpen: boolean
  /** Whether an upload of it, which isn't known as the last one, may be ready. */
  isUnsure?: boolean
  /** Whether it had a previewUrl after that. */
  wasShown?: boolean
  /** What its last finalize made of it, and those before it. */
  input?: PreviewInput
  readonly before: Array<PreviewInput>
  /** The token of its last finalize. */
  spent?: Pick<Reserved, "token" | "shareId">
  /** Counts reservations and finalizes: its first reservation, and its last event. */
  first: number
  last: number
}

export const other = (account: AccountName): AccountName => (account === "a" ? "b" : "a")

/** Whether builds of these fields are the same. */
export const isSameBuild = (one: Fields, two: Fields): boolean =>
  ["owner", "repo", "branch", "platform", "commitSha"].every((field) => one[field] === two[field])

/** Whether a mark is one of these, or a part of one. */
export const isPartOf = (marks: Iterable<string>, mark: string): boolean => [...marks].some((one) => one.includes(mark))

/** A unique name of digits, which is more than a number may have. */
const digitsOf = (label: string) =>
  Session.use(({ unique }) =>
    Effect.succeed(
      `00${BigInt(`0x${unique(label)}`)
        .toString()
        .slice(0, 17)}`
    )
  )

const letters = "ghjkmnpqrs"

/** Near the branch of the first build. */
export const nearFields = Effect.fnUntraced(function* (
  near: string,
  base: Fields,
  label: string,
  { account, longer }: Pick<Sequence, "account" | "longer">
) {
  const { accounts } = (yield* Session).config
  const long = `${String(base.branch)}/${"of-a-long-name-".repeat(40).slice(0, longer - 2)}`
  const [name, sha] = [String(base.branch), String(base.commitSha)]
  const digit = (one: string) => (one === "0" ? "1" : "0")
  const changes: Readonly<Record<string, Fields>> = {
    platform: { platform: base.platform === "ios" ? "android" : "ios" },
    commit: { commitSha: yield* commitSha(label) },
    "last digit": { commitSha: sha.slice(0, -1) + digit(sha.slice(-1)) },
    "first digit": { commitSha: digit(sha.slice(0, 1)) + sha.slice(1) },
    "longer branch": { branch: `${name}x` },
    "branch below": { branch: `${name}/x` },
    "branch of digits": { branch: yield* digitsOf(label) },
    "branch behind a word": { branch: `old-${name}` },
    "long branch": { branch: `${long}1` },
    "long branch with another end": { branch: `${long}2` },
    "branch with _": { branch: `${name}_1` },
    "branch with -": { branch: `${name}-1` },
    "short branch": { branch: sha.replaceAll(/\d/g, (one) => letters[Number(one)] ?? "q").slice(2, 4) },
    "branch decomposed": { branch: name.normalize("NFD") === name ? `${name}2` : name.normalize("NFD") },
    "second repository": accounts[account].second ?? { commitSha: yield* commitSha(label) },
    "other account": accounts[other(account)].linked
  }
  const [twin = "", place] = near.split(", ")
  const [first, second] = nameTwins[twin]?.(name, digitsIn(sha)) ?? []
  const twinned = first === undefined ? {} : { branch: place === "first" ? first : second }
  const changed = changes[near] ?? twinned
  return { account: near === "other account" ? other(account) : account, fields: { ...base, ...changed } }
})

/** The kinds of declared files and recordings: the end of their names, and their types. */
const objectKinds: ReadonlyArray<readonly [end: string, contentType: string]> = [
  ["txt", "text/plain"],
  ["bin", "application/octet-stream"],
  ["css", "text/css"],
  ["md", "text/plain; charset=utf-8"],
  ["json", "application/json"],
  ["svg", "image/svg+xml"],
  ["png", "image/png"],
  ["webm", "video/webm"],
  ["mp4", "video/mp4"],
  ["ttf", "font/ttf"],
  ["webp", "image/webp"]
]

/** The kind of this place, or plain text where so few bytes are no file of that kind. */
const objectKind = (nth: number, sizeBytes: number): readonly [end: string, contentType: string] => {
  const kind = objectKinds[nth % objectKinds.length] ?? (["txt", "text/plain"] as const)
  return isRoom(kind[1], sizeBytes) ? kind : ["txt", "text/plain"]
}

const parsed = (text: string) => Effect.sync((): Json => JSON.parse(text))

interface Made {
  readonly attempt: number
  readonly isBuild: boolean
  readonly resources: ReadonlyArray<Resource>
  /** How each account reads in metadata. */
  readonly attributions: ReadonlyMap<AccountName, string>
  /** A number that no earlier call had. */
  readonly next: () => number
}

/** Makes what an upload of a resource declares. */
export const makeInputs = Effect.fnUntraced(function* ({ attempt, attributions, isBuild, next, resources }: Made) {
  const session = yield* Session
  const { accounts } = session.config
  let lastBundle: BuildInput["bundle"] | undefined
  const side = (label: string) => 3001 + (Number.parseInt(session.unique(label).slice(0, 6), 16) % 5000)
  return Effect.fnUntraced(function* (one: Resource, what: What, as?: Credential) {
    const label = `${attempt}.${next()}`
    const { billingKind, bundleContentType, ...given } = what.fields
    const mark = session.unique(`${label}.entry`)
    const rival = resources.findLast((two) => two !== one && two.isReady)
    const theirs = attributions.get(other(one.account))
    const placeholders: Readonly<Record<string, Json>> = {
      "{account}": theirs === undefined ? accounts[other(one.account)].linked.owner : yield* parsed(theirs),
      "{id}": rival?.id ?? mark,
      "{url}": rival?.url ?? `${session.config.url}/${mark}`
    }
    const others: Fields = {
      entry: `src/main-${mark.slice(0, 6)}.tsx`,
      bundleOrigin: `http://localhost:${20_000 + (Number.parseInt(mark.slice(0, 6), 16) % 40_000)}`,
      deviceSpec: { width: side(`${label}.width`), height: side(`${label}.height`) },
      ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, placeholders[String(value)] ?? value])),
      ...(what.without === "" ? {} : { [what.without]: undefined }),
      ...(what.without === "repository" ? { owner: undefined, repo: undefined } : {})
    }
    // A billed one needs another scope, and a build isn't billed.
    const isBilled = !isBuild && (billingKind !== "test_run" || (typeof as === "object" && as.key === "all"))
    const fields = { ...others, ...(isBilled && billingKind !== undefined ? { billingKind } : {}) }
    const contentType = typeof bundleContentType === "string" ? bundleContentType : "text/javascript"
    const own = {
      content: session.content(`${label}.bundle`, what.bundleBytes, contentType.split(";")[0]),
      contentType
    }
    const earlier = { "": undefined, last: lastBundle, earlier: (one.before.at(-1) ?? one.input)?.bundle }[what.same]
    const bundle = earlier ?? own
    lastBundle = bundle
    const object = (name: string, nth: number, size: number) => {
      const [end, contentType] = objectKind(nth, size)
      return { end, contentType, content: session.content(`${label}.${name} ${nth}`, size, contentType) }
    }
    const each = Array.from({ length: what.files }, (_, nth): DeclaredFile => {
      const { end, ...declared } = object(
        "file",
        what.isSameNames ? Math.floor(nth / 3) : nth,
        (what.isSameNames ? undefined : what.fileBytes[nth]) ?? (what.files > 60 ? 1 : 64) + (nth % 40)
      )
      const odd = nth === Math.floor(what.files / 2) ? what.oddPath : ""
      const namedEnd =
        nth === 0 && what.named === "without an end"
          ? ""
          : `.${end}${nth === 0 && what.named === "with two ends" ? `.${end}` : ""}`
      const [named, number] = what.isSameNames ? [`${attempt}`, Math.floor(nth / 3)] : [`${label}.${nth}`, nth]
      const folder = ["img", "fonts/a", "node_modules/@nav/elements/lib/module/assets"][nth % 3]
      return { path: `assets/${folder}/${session.unique(named).slice(0, 7)}-${number}${odd}${namedEnd}`, ...declared }
    })
    // The first one is of any kind.
    const turned = Number.parseInt(mark.slice(0, 4), 16)
    const recorded = Array.from({ length: what.recordings }, (_, nth): DeclaredRecording => {
      const { end, ...declared } = object("recording", nth + 7, what.recordingBytes[nth] ?? 64 + nth)
      const label_ = `${session.unique(`${label}.r${nth}`).slice(0, 7)}-${nth}`
      const odd = nth === Math.floor(what.recordings / 2) ? what.oddPath : ""
      const names: Readonly<Record<What["named"], string>> = {
        plain: `step-${label_}${odd}.${end}`,
        "without an end": nth % 2 === 0 ? `step-${label_}` : `step-${label_}.${end}`,
        "with spaces": `Step ${nth} - ${label_}.${end}`,
        "with two ends": `step-${label_}.${end}.${end}`
      }
      return { name: names[what.named], kind: recordingKinds[(nth + turned) % 5] ?? "other", ...declared }
    })
    const [recording, other_] = recorded
    const alike: Readonly<Partial<Record<What["alike"], Partial<DeclaredRecording>>>> = {
      recordings: { name: recording?.name.toUpperCase() ?? "" },
      "recorded bytes": { ...recording, name: other_?.name ?? "" },
      stem: { name: recording?.name.replace(/\.[^.]*$/, other_?.name.match(/\.[^.]*$/)?.[0] ?? "") ?? "" }
    }
    const twin = other_ === undefined ? undefined : alike[what.alike]
    const recordings = other_ === undefined || twin === undefined ? recorded : recorded.with(1, { ...other_, ...twin })
    const [first, last] = [each[0], each.at(-1)]
    const named = (path: string | undefined) =>
      last === undefined || path === undefined || path === first?.path ? last : { ...last, path }
    const sameBytes = (contentType?: string) =>
      first === undefined || last === undefined
        ? last
        : { ...first, path: last.path, contentType: contentType ?? first.contentType }
    const twins: Readonly<Record<What["alike"], DeclaredFile | undefined>> = {
      nothing: last,
      bytes: sameBytes(),
      types: sameBytes(first?.contentType === "text/plain" ? "application/octet-stream" : "text/plain"),
      path: named(first?.path.replace(/[^/]+$/, (one) => one.toUpperCase())),
      sizes:
        first === undefined || last === undefined
          ? last
          : {
              ...last,
              contentType: first.contentType,
              content: session.content(`${label}.twin`, first.content.bytes.byteLength, first.contentType)
            },
      slug: named(first?.path.replace(/-(?=[^-]*$)/, "_")),
      folder: named(first?.path.replace(/\/(?=[^/]*$)/, "_")),
      scale: named(first?.path.replace(/(?=\.[^./]*$)/, "@2x")),
      entry: named(typeof others.entry === "string" ? others.entry : undefined),
      role: named(recording?.name),
      prefix: named(first === undefined ? undefined : `${first.path}.map`),
      stem: last,
      recordings: last,
      "recorded bytes": last
    }
    const { [what.alike]: end } = twins
    const files = end === undefined || each.length < 2 ? each : each.with(each.length - 1, end)
    for (const { content } of [bundle, ...files, ...recordings]) one.marks.add(content.sha256)
    for (const { path } of files) one.marks.add(path)
    for (const recording of recordings) one.marks.add(recording.name)
    const overrides = { account: one.account, bundle, files, recordings, fields: { ...one.fields, ...fields } }
    const input = isBuild ? yield* buildInput(label, overrides) : yield* previewInput(label, overrides)
    return { ...input, recordings } satisfies PreviewInput
  })
})
