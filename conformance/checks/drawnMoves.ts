/** What the drawn sequences of uploads do: values, refused requests, and moves in the order in which they are made. */
import type { Fields } from "../dialect/Dialect.ts"
import {
  WrongKey,
  type AccountName,
  type Credential,
  type Json,
  type KeyName,
  type Manner
} from "../session/Exchange.ts"
import {
  manners,
  nameTwins,
  nearRepositories,
  oddEnds,
  refusedManners,
  stepText,
  type Available,
  type Draw
} from "./model.ts"
import { rightKeys } from "./senders.ts"
import { keyOf } from "./steps.ts"

export type Profile = "builds" | "previews"

/** Sizes around powers of two and the borders of chunks. */
const bundleSizes = [
  1, 2, 3, 7, 15, 16, 17, 63, 64, 65, 255, 256, 257, 511, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4095
]
  .concat([4096, 4097, 8191, 8192, 8193, 16_383, 16_384, 16_385, 32_767, 32_768, 32_769, 65_535, 65_536, 65_537])
  .concat([
    10_000, 999_999, 1_000_000, 100_000, 131_071, 131_073, 262_144, 262_145, 524_289, 1_048_575, 1_048_576, 1_048_577
  ])
const fileSizes = [0, ...bundleSizes.filter((size) => size < 300_000), 0]
const fileCounts = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 1, 2, 3, 4, 16, 17, 20, 33, 60]
const recordingCounts = [0, 1, 2, 3, 4, 5, 6, 8, 9, 11, 16, 17, 21, 26, 33, 41]
/** Sizes of a file where only bundles are usually so large. */
const largeFiles = [1_048_577, 1_300_000, 1_500_001, 2_097_153]
export const recordingKinds = ["video", "screenshot", "events", "log", "other"]

/** Ends that every name of a branch may have. */
const plainEnds = ["", "", "/part", "/a/b/c", "-2", ".1", "_x", "/latest", "/ios", "-v1.0.0", "/UPPER", "/0"]
const twins = Object.keys(nameTwins)
/** How the branch, the commit, the platform or the repository of a build differs from the first of its sequence. */
const nears = ["platform", "commit", "last digit", "longer branch", "branch decomposed", "second repository"].concat([
  "other account",
  "first digit",
  "branch below",
  "branch of digits",
  "branch behind a word",
  "branch with _",
  "branch with -",
  "short branch",
  "long branch",
  ...twins
])
/** How many characters a long branch has more than the first one. */
const longer = [250, 512]
/** What reads as another text once it is decoded again. */
const escapes = ["%41", "%2F", "+", "%25", "&amp;", "%C3%A9"]
/** What a branch may begin with, as CI and Git say it. */
const branchStarts = ["", "refs/heads/", "", "origin/"]
/** Both names of a pair, where the first isn't the branch itself. */
const pairs = (...names: ReadonlyArray<string>) => names.flatMap((name) => [`${name}, first`, name])
/** Neighbours of the first build that are uploaded at once with it. */
const nearGroups = [
  ["platform", "long branch", "long branch with another end", "short branch", ...pairs("a zero after a number")],
  ["commit", "last digit", "an accent", "branch behind a word", ". for -", ...pairs("- for /"), "nothing for -"],
  ["first digit", "longer branch", "branch with _", "branch with -", "capitals", "/ for -", "two -"],
  [
    "second repository",
    "other account",
    "branch below",
    "branch decomposed",
    ...pairs("a zero before a number"),
    "_ for -"
  ]
]
/** Members of answers that are sent back, with values of another account or another preview. A target may refuse them. */
const returned: ReadonlyArray<Fields> = [
  { account: "{account}" },
  { id: "{id}", shareId: "{id}" },
  { accountId: "{account}", accountName: "{account}" },
  { status: "ready", url: "{url}", previewUrl: "{url}" }
]
/** How many files are declared at once, where nothing of it is uploaded. */
const manyFiles = [65, 99, 100, 101, 127, 128, 129, 200, 255, 256, 257, 500, 1000]

/** Other values of fields that every build and preview has. A target may refuse the first kind of them. */
const oddFields: ReadonlyArray<Fields> = [
  ...oddEnds.map((end) => ({ entry: `src/${end}` })),
  ...["file:///app/index.bundle", "http://[::1]:8081", "app://", "https://é.example", ""].map((bundleOrigin) => ({
    bundleOrigin
  })),
  ...[{ width: 0, height: 0 }, { width: 1e6, height: 1 }, { width: -1, height: 1 }, null].map((deviceSpec) => ({
    deviceSpec
  })),
  ...["bundleOrigin", "entry", "isTransformed", "deviceSpec"].map((name) => ({ [name]: null })),
  ...["application/octet-stream", "text/javascript; charset=utf-8", "application/vnd.hermes+bytecode"].map(
    (bundleContentType) => ({
      bundleContentType
    })
  ),
  { unknownField: "x" },
  { billingKind: "other" }
]
const plainFields: ReadonlyArray<Fields> = [
  ...[
    { width: 390, height: 844 },
    { width: 1024.5, height: 768.25 },
    { width: 1, height: 1 },
    { width: 4096, height: 2160 }
  ].map((deviceSpec) => ({ deviceSpec })),
  ...["index.js", "index.ios.js", "src/main.tsx", "./index", "index"].map((entry) => ({ entry })),
  ...["http://localhost:8081", "https://metro.example/index.bundle?platform=ios&dev=false", "http://10.0.2.2:8081"].map(
    (bundleOrigin) => ({ bundleOrigin })
  ),
  { isTransformed: true },
  { isTransformed: false },
  { billingKind: "test_run" }
]

/** Fields that an upload may be without. A target may require them. */
export const optionalFields = {
  builds: ["isTransformed", "deviceSpec", "entry", "bundleOrigin"],
  previews: ["repository", "deviceSpec", "branch", "commitSha", "platform", "entry", "deviceSpec", "repository"]
} as const

/**
 * What two objects of an upload have in common: their bytes, with the same or another type, their size and type, or their names but for
 * the case of letters, for a character that many stores replace, or for what names a scale, a map or another end. Or a file has the name of the entry or of a recording.
 */
const alikes = [
  "nothing",
  "bytes",
  "types",
  "sizes",
  "path",
  "slug",
  "folder",
  "scale",
  "prefix",
  "stem",
  "entry",
  "role",
  "recordings",
  "recorded bytes"
] as const
export type Alike = (typeof alikes)[number]
/** How two names may be so alike that a target may refuse them together. */
export const isNearlySame = (alike: Alike): boolean => !/^(?:nothing|bytes|types|sizes|recorded bytes)$/.test(alike)
const names = ["plain", "without an end", "plain", "with spaces", "with two ends"] as const

/** What is uploaded. */
export interface What {
  readonly bundleBytes: number
  readonly files: number
  readonly recordings: number
  /** Of the first files, and of the first recordings; the others are small. */
  readonly fileBytes: ReadonlyArray<number>
  readonly recordingBytes: ReadonlyArray<number>
  readonly alike: Alike
  /** What the names of the first file and of some recordings are like. */
  readonly named: (typeof names)[number]
  /** The end of the name of one file, if it is odd. */
  readonly oddPath: string
  readonly fields: Fields
  /** The field that it is without; an owner and a name are the repository. */
  readonly without: string
  /** Whether files have the names of those in other folders and of other uploads. */
  readonly isSameNames: boolean
  /** Whether a target may refuse it. */
  readonly isOdd: boolean
  /** Which of the bundles that were uploaded before it has: the last one, or the last but one of its resource. */
  readonly same: "" | "last" | "earlier"
}

export const plainWhat: What = {
  bundleBytes: 512,
  files: 0,
  recordings: 0,
  fileBytes: [],
  recordingBytes: [],
  alike: "nothing",
  named: "plain",
  oddPath: "",
  fields: {},
  without: "",
  isSameNames: false,
  isOdd: false,
  same: ""
}

/** What is refused, by which key, in which manner. `value` depends on `name`. */
export interface Attempt {
  readonly name: string
  readonly as?: Credential
  readonly manner?: Manner
  readonly value?: Json
}

/** Attempts before the reservation (0), after it (1), when a part was uploaded (2), when all was (3), and after finalize (4). */
export type Stage = 0 | 1 | 2 | 3 | 4
type Tries = Readonly<Partial<Record<Stage, ReadonlyArray<Attempt>>>>

export type Move =
  | {
      readonly do: "upload"
      readonly of: number
      readonly what: What
      readonly as: KeyName
      /** What the other account has of the same commit meanwhile. */
      readonly mirror: "" | "open" | "hosted"
      /** Whether an object that has arrived is sent again before the last one, and the token once it is spent. */
      readonly isRepeated: boolean
      readonly manner: Manner
      readonly order: "together" | "forward" | "backward" | "pipelined"
      readonly tries: Tries
    }
  /** One object gets other bytes than declared, and then the right ones if that was refused. */
  | {
      readonly do: "spoil"
      readonly of: number
      readonly what: What
      readonly slot: number
      /** How many of the declared bytes: a change by one byte, a part, the first half in a way that looks like a part, no PUT at all, or the bytes of another object. */
      readonly wrong: number | "aborted" | "short" | "range" | "GET" | "HEAD" | "32 bits" | "sibling"
      readonly manner: Manner
    }
  /** Small uploads of the same build, or of other commits of its branch, one after the other. */
  | { readonly do: "again"; readonly of: number; readonly count: number; readonly isOfCommits: boolean }
  /** A reservation of many files, which may be uploaded too. */
  | { readonly do: "many"; readonly of: number; readonly files: number; readonly isWhole: boolean }
  /** Several of the same at once. */
  | {
      readonly do: "race"
      readonly of: number
      readonly kind: "reserve" | "finalize" | "foreign" | "read"
      readonly count: number
    }
  /** Uploads that are open at the same time: other commits of a branch, also of both accounts, builds that are near each other, or the same build. */
  | {
      readonly do: "together"
      readonly of: number
      readonly which: "commits" | "accounts" | "near" | "same"
      /** The neighbours, of those that are near each other. */
      readonly nears?: ReadonlyArray<string>
      readonly count: number
      readonly order: "at once" | "forward" | "backward"
    }
  /** An upload of the other kind, and test runs, of the same commit. */
  | { readonly do: "beside"; readonly of: number }

export interface Sequence {
  readonly profile: Profile
  /** Whose most of it is. */
  readonly account: AccountName
  readonly longer: number
  /** The beginning and the end of the name of its branch. */
  readonly start: string
  readonly odd: string
  readonly platform: string
  readonly nears: ReadonlyArray<string>
  readonly moves: ReadonlyArray<Move>
}

const wrongKeys = (profile: Profile, { pairs }: Available): ReadonlyArray<Credential> => [
  "none",
  ...WrongKey.literals,
  keyOf("a", "testRuns"),
  keyOf("a", profile === "builds" ? "previewUpload" : "builds"),
  ...(pairs ? [keyOf("a", profile === "builds" ? "withoutBuilds" : "withoutPreviewUpload")] : [])
]

const platforms = ["ios", "android", null]
const foreignReads = [...platforms, "capitals"]
const methods = ["GET", "HEAD"] as const
/** How the right token differs from one that is sent in its place. */
const nearTokens = ["altered", "beginning", "middle", "longer", "case"] as const
export const isNearToken = (name: unknown): name is (typeof nearTokens)[number] =>
  nearTokens.some((one) => one === name)
const uploadsTogether = ["same", "commits", "same", "accounts"] as const

/** Everything that is refused, whatever the state. What is here twice is tried twice as often. */
const attempts = (profile: Profile, available: Available): ReadonlyArray<Attempt> => {
  const keys = wrongKeys(profile, available)
  const withKeys = (name: string) => keys.map((as) => ({ name, as }))
  const withValues = (name: string, values: ReadonlyArray<Json>) => values.map((value) => ({ name, value }))
  const all: ReadonlyArray<Attempt> = [
    ...withValues("finalize.foreign", [1, 2, 3]),
    ...withKeys("finalize.key"),
    ...withValues("finalize.token", ["unknown", "long", "empty", "%", "*", "null", ...nearTokens, ...nearTokens]),
    ...withKeys("reserve.key"),
    ...withKeys("read.key"),
    ...withValues("read.foreign", [1, 2, 3, 4, 5, "upper", "shorter", "encoded", "%", "*", "0"]),
    ...withValues("read.named", ["own", "both", "id"]),
    ...withValues("read.method", ["DELETE", "PUT", "PATCH", "POST", "DELETE"]),
    ...withValues("read.elsewhere", [1, 2]),
    ...withValues("stored", [0, 1, 2, 0]),
    { name: "read.elsewhere", as: keyOf("a", profile === "builds" ? "previewUpload" : "builds") },
    ...withValues("reserve.keyed", [1, 2]),
    ...(profile === "builds"
      ? [
          ...withValues("finalize.operation", [
            "publish",
            "FINALIZE",
            "finalize ",
            "Finalize",
            "",
            "reserve",
            null,
            true
          ]),
          ...withValues("finalize.typed", [{ $ne: "" }, true, null, []]),
          ...withValues("reserve.foreign", [1, 2]),
          ...["reserve", "latest"].flatMap((name) => withValues(`${name}.near`, Object.keys(nearRepositories))),
          ...["reserve.unlinked", "reserve.sibling"].map((name) => ({ name })),
          ...withKeys("latest.key"),
          ...["unlinked", "sibling"].flatMap((name) => withValues(`latest.${name}`, platforms)),
          ...withValues("latest.foreign", [...foreignReads, ...foreignReads]),
          ...withValues("latest.twice", ["own first", "own last", "other names"]),
          ...withValues("latest.odd", ["a\u0000b", "\ud800", "x".repeat(2000), ""])
        ]
      : [
          { name: "reserve.billed", as: keyOf("a", "previewUpload") },
          { name: "reserve.billed", as: keyOf("a", "testRuns") },
          ...(available.pairs ? [{ name: "reserve.billed", as: keyOf("a", "withoutTestRuns") }] : [])
        ])
  ]
  return all.filter(
    ({ as, name }) =>
      (available.scoped || typeof as !== "object") &&
      (available.foreign || !/twice|named|keyed|reserve\.foreign/.test(name))
  )
}

/** A size of the list, or one between them. */
const drawSize = (draw: Draw): number =>
  draw.chance(70) ? draw.next("bundle", bundleSizes) : Math.round(2 ** (draw.below(2000) / 100))

const drawWhat = (draw: Draw, profile: Profile, isSpoilt = false): What => {
  const isOdd = draw.chance(40)
  const isPath = isOdd && draw.chance(40)
  const count = isSpoilt ? draw.pick([0, 1, 2, 7]) : draw.next("files", fileCounts)
  const recordings =
    profile === "builds" ? 0 : isSpoilt ? draw.pick([0, 1, 3]) : draw.next("recordings", recordingCounts)
  const without = draw.next("without", ["", optionalFields[profile], "", ""].flat())
  return {
    without: isSpoilt || isOdd ? "" : without,
    bundleBytes: isSpoilt ? draw.pick([64, 500, 4096, 70_000]) : drawSize(draw),
    files: isPath ? Math.max(1, count) : count,
    // Together no more than the files of a build.
    recordings: count > 30 ? Math.min(recordings, 3) : recordings,
    fileBytes: [1, 2, 3, 4].map(() => draw.next("file", fileSizes)),
    recordingBytes: [1, 2].map(() => draw.next("recording", fileSizes)),
    alike: isSpoilt ? "nothing" : draw.next("alike", alikes),
    named: draw.next("names", names),
    oddPath: isPath ? draw.next("path", oddEnds) : "",
    fields: isOdd && !isPath ? draw.next("odd fields", oddFields) : draw.next("fields", plainFields),
    isSameNames: draw.chance(40),
    isOdd,
    same: isSpoilt ? "" : draw.next("same bundle", ["", "last", "", "earlier", ""])
  }
}

export const drawSequence = (draw: Draw, profile: Profile, available: Available, uploads: number): Sequence => {
  const all = attempts(profile, available)
  const isFinalize = ({ name }: Attempt) => name.startsWith("finalize")
  // What is incomplete is refused for that: a finalize shows most when everything has arrived.
  const [finalizes, others_] = [all.filter(isFinalize), all.filter((one) => !isFinalize(one))]
  const early = others_.filter(({ name }) => /^(?:reserve|latest)/.test(name))
  const tables = { finalize: finalizes, other: others_, early }
  const some = (count: number, from: keyof typeof tables) =>
    Array.from({ length: count }, (): Attempt => {
      const attempt = draw.next(from, tables[from])
      return draw.chance(45) ? attempt : { ...attempt, manner: draw.next("refused manner", refusedManners) }
    })
  const upload = (of: number, fields?: Fields, isLarge = false): Move => {
    const any = drawWhat(draw, profile)
    // One of two objects of the same size and type is the last to arrive.
    const isTwin = any.alike === "sizes"
    const drawn = isTwin ? { ...any, files: Math.max(2, any.files) } : any
    const large = isLarge ? [draw.next("large file", largeFiles)] : []
    const what = isLarge
      ? profile === "previews" && draw.next("large recording", [true, false])
        ? { ...drawn, recordings: Math.max(1, drawn.recordings), recordingBytes: [...large, ...drawn.recordingBytes] }
        : { ...drawn, files: Math.max(1, drawn.files), fileBytes: [...large, ...drawn.fileBytes] }
      : drawn
    // What is refused once must be refused again.
    const missing = Array.from({ length: profile === "previews" ? (isTwin ? 1 : draw.below(4)) : 0 }, () => ({
      name: "finalize.missing"
    }))
    return {
      do: "upload",
      of,
      what: fields === undefined ? what : { ...what, fields, without: "", isOdd: true },
      as: draw.next("key", rightKeys[profile]),
      isRepeated: draw.chance(40),
      mirror: available.foreign ? draw.next("mirror", ["open", "", "hosted", ""]) : "",
      manner: draw.next("manner", manners),
      order: draw.next("order", ["together", "forward", "backward", "pipelined"]),
      tries: {
        0: profile === "builds" ? some(5, "early") : [],
        [isTwin ? 2 : draw.pick([1, 2])]: [...missing, ...some(4, "other"), ...some(1, "finalize")],
        3: some(5, "finalize"),
        4: [...some(6, "other"), ...some(draw.below(3), "finalize")]
      }
    }
  }
  const wrongs = [
    -1,
    1,
    -0.5,
    0,
    2,
    "aborted",
    "short",
    "range",
    "sibling",
    ...(profile === "builds" ? [] : methods)
  ] as const
  const spoil = (of: number, slot: number, wrong?: (Move & { readonly do: "spoil" })["wrong"]): Move => ({
    do: "spoil",
    of,
    what: drawWhat(draw, profile, true),
    slot,
    wrong:
      wrong !== undefined
        ? wrong
        : slot === 0
          ? draw.next("wrong bundle", ["32 bits", ...wrongs])
          : draw.next("wrong", wrongs),
    manner: draw.next("manner", manners)
  })
  const other = (of: number): Move => {
    const which = draw.next("other moves", [
      "bundle",
      "together",
      "any",
      "race",
      ...(profile === "builds" ? ["again"] : ["bundle"]),
      "together",
      "any",
      "beside",
      "race",
      "many"
    ])
    if (which === "many") return { do: "many", of, files: draw.next("many", manyFiles), isWhole: false }
    if (which === "beside") return { do: "beside", of }
    if (which === "together") {
      return {
        do: "together",
        of,
        which: draw.next("which", profile === "builds" ? uploadsTogether : ["commits", "accounts"]),
        count: draw.pick([2, 3, 3, 5]),
        order: draw.next("together", ["at once", "forward", "backward"])
      }
    }
    if (which === "again") return { do: "again", of, count: draw.pick([2, 3, 5, 8, 11]), isOfCommits: draw.chance(50) }
    if (which !== "race") return spoil(of, which === "bundle" ? 0 : 1 + draw.below(9))
    return {
      do: "race",
      of,
      kind: draw.next("race", ["reserve", "read", "finalize", "foreign", "read"]),
      count: draw.pick([2, 3, 4])
    }
  }
  const isPossible = (near: string) => available.foreign || near !== "other account"
  const update: Move = { do: "race", of: 0, kind: "finalize", count: 2 }
  const beyond = spoil(0, 0, "32 bits")
  const whole: Move = { do: "many", of: 0, files: draw.pick([100, 101, 110, 129]), isWhole: true }
  const many: Move = { do: "again", of: 0, count: draw.pick([13, 17, 21, 26]), isOfCommits: true }
  const order = draw.next("open", ["forward", "backward", "at once"] as const)
  const open: Move = { do: "together", of: 0, which: "commits", count: draw.pick([5, 6, 9]), order }
  // Each of these is in every run.
  const certain: ReadonlyArray<Move | undefined> =
    profile === "builds"
      ? [
          {
            do: "together",
            of: 0,
            which: "near",
            nears: draw.next("near group", nearGroups).filter(isPossible),
            count: 0,
            order: "at once"
          },
          {
            do: "together",
            of: 0,
            which: "same",
            count: 2,
            order: draw.next("same", ["forward", "backward", "forward", "at once"])
          },
          draw.next("third", [whole, update, beyond, many]),
          { do: "again", of: 0, count: draw.pick([3, 4, 5]), isOfCommits: false }
        ]
      : [open, draw.next("second", [beyond, { do: "beside", of: 0 }, beyond, { do: "beside", of: 0 }])]
  const moves = Array.from({ length: uploads }, (_, place) => {
    const of = place < 4 ? place : draw.below(4)
    const more = certain[place] ?? (draw.chance(90) ? other(draw.pick([of, of, draw.below(4)])) : undefined)
    const isReturned = profile === "previews" && place === 1
    const isLarge = place === 0 && draw.next("large", [true, false])
    const uploaded = upload(of, isReturned ? draw.next("returned", returned) : undefined, isLarge)
    // Of a build that nobody has reserved before.
    const first: ReadonlyArray<Move> =
      profile === "builds" && place === 0 && draw.next("first", [true, false])
        ? [{ do: "race", of: 3, kind: "reserve", count: draw.pick([2, 3]) }]
        : []
    return [uploaded, ...first, ...(more === undefined ? [] : [more])]
  }).flat()
  const possible = nears.filter(isPossible)
  const near = [1, 2, 3].map(() => draw.next("near", possible))
  // What cuts a name takes these two for one.
  const isLong = near.includes("long branch") || draw.chance(40)
  const others = near.filter((one) => one !== "long branch").slice(0, 1)
  return {
    profile,
    account: available.foreign ? draw.next("account", ["a", "b"]) : "a",
    longer: draw.next("longer", longer),
    start: draw.next("start of a branch", branchStarts),
    // Several at once, so that a run has many of them.
    odd: draw.next("odd", [true, false])
      ? [draw.next("escape", escapes), ...[1, 2].map(() => draw.next("odd branch", oddEnds))].join("x")
      : draw.next("branch", plainEnds),
    platform: draw.pick(["ios", "android"]),
    nears: isLong ? ["long branch", "long branch with another end", ...others] : near,
    moves
  }
}

/** The most requests of a move, while none fails. */
export const atMost = (move: Move, rows: number): number => {
  // An upload may make two more.
  const reads = rows + 2
  if (move.do === "race") return 33 + 3 * move.count + reads
  if (move.do === "again") return 3 * move.count + reads
  if (move.do === "together")
    return move.nears === undefined ? 9 * move.count + reads : 10 + 8 * move.nears.length + reads
  if (move.do === "many") return (move.isWhole ? 5 + move.files : 2) + reads
  if (move.do === "beside") return 12 + reads
  const objects = 1 + move.what.files + move.what.recordings
  const { length: stages } = Object.keys(move.do === "upload" ? move.tries : {})
  const tries = move.do === "upload" ? Object.values(move.tries).flat().length : 0
  // A PUT may be sent again as usual, and so may a reservation and a finalize.
  return objects + 12 + tries + (3 + stages) * reads
}

const whatText = ({
  alike,
  bundleBytes,
  fields,
  fileBytes,
  files,
  isSameNames,
  named,
  oddPath,
  recordings,
  same,
  without
}: What) => ({
  of: `${bundleBytes} bytes`,
  files,
  "the first of": files === 0 ? undefined : `${fileBytes.slice(0, files).join(", ")} bytes`,
  recordings,
  without,
  "names of files": isSameNames && files > 1 ? "alike" : undefined,
  "two objects": alike === "nothing" ? undefined : `alike: ${alike}`,
  names: named === "plain" ? undefined : named,
  path: oddPath === "" ? undefined : JSON.stringify(oddPath),
  with:
    Object.keys(fields).length === 0
      ? undefined
      : JSON.stringify(fields, (_, value: unknown) => (value === undefined ? "absent" : value)),
  bundle: same === "" ? undefined : `as the ${same} one`
})

export const textOf =
  ({ nears, profile }: Sequence) =>
  (move: Move): string => {
    const which = `${profile === "builds" ? "build" : "preview"} ${move.of + 1}${move.of === 0 ? "" : ` (${nears[move.of - 1]})`}`
    if (move.do === "again")
      return stepText(`uploads of ${move.isOfCommits ? "other commits like " : ""}${which}`, { count: move.count })
    if (move.do === "race") return stepText(`race of ${which}`, { [move.kind]: move.count })
    if (move.do === "together")
      return stepText(`uploads beside ${which}`, {
        of: move.nears?.join(", ") ?? move.which,
        count: move.count,
        finalized: move.order
      })
    if (move.do === "many")
      return stepText(`${move.isWhole ? "upload" : "reservation"} beside ${which}`, { files: move.files })
    if (move.do === "beside") return stepText(`what else may be of the commit of ${which}`, {})
    if (move.do === "spoil")
      return stepText(`upload of ${which}`, { ...whatText(move.what), "wrong bytes": String(move.wrong) }, move.manner)
    const tries = Object.entries(move.tries).flatMap(([stage, some]) => some.map(({ name }) => `${name}@${stage}`))
    return stepText(
      `upload of ${which}`,
      {
        ...whatText(move.what),
        by: move.as,
        "of the other account": move.mirror,
        order: move.order,
        repeated: move.isRepeated ? "one PUT and finalize" : undefined,
        refused: tries.join(" ")
      },
      move.manner
    )
  }

export const simpler = (move: Move): ReadonlyArray<Move> => {
  if (move.do === "race" || move.do === "beside") return []
  if (move.do === "many") return manyFiles.filter((files) => files < move.files).map((files) => ({ ...move, files }))
  if (move.do === "together" && move.nears !== undefined && move.nears.length > 1)
    return move.nears.map((near) => ({ ...move, nears: [near] }))
  if (move.do === "together") return move.count > 2 ? [{ ...move, count: 2 }] : []
  if (move.do === "again") return [1, 2].flatMap((count) => (count < move.count ? [{ ...move, count }] : []))
  const fewer = {
    ...move.what,
    files: Math.min(2, move.what.files),
    recordings: Math.min(1, move.what.recordings),
    fields: {}
  }
  const plainer = [
    { ...move, what: plainWhat, manner: {} },
    { ...move, what: fewer }
  ]
  if (move.do === "spoil") return plainer
  return [...plainer.map((one) => ({ ...one, tries: {} })), { ...move, tries: {} }, ...plainer]
}
