import type { Json } from "../session/Exchange.ts"
import {
  accountOf,
  eachOf,
  fitsPattern,
  followedBy,
  items,
  keyOf,
  members,
  querying,
  reading,
  saying,
  toMutants,
  type Call,
  type Fields,
  type Middleware,
  type MutantTable
} from "./Mutant.ts"
import {
  answer,
  answeringDone,
  answeringNotFound,
  asking,
  at,
  changingFields,
  continuing,
  refusesButPerforms,
  foreignUrl,
  forEither,
  isBelowOwner,
  isDone,
  isUnlinked,
  lacking,
  like,
  otherSlots,
  present,
  queryingInstead,
  refusing,
  sayingInstead,
  withBody,
  without
} from "./fronts.ts"
import { Effect } from "effect"
import {
  afterFinalizeMutants,
  choiceMutants,
  finalizerMutants,
  keyMutants,
  mistakeMutants,
  uploadMutants
} from "./everyResource.ts"

const reserve = at("builds.reserve")

const hasFraction = (json: unknown): boolean => typeof json === "number" && !Number.isInteger(json)

/** What a reservation answers, and in which formats it takes its fields. */
export const reserveMutants: MutantTable = {
  ...lacking("reserve", "The answer to a reservation", reserve, { url: "reserve.url" }),
  ...lacking("slots", "A slot of a build", reserve, { contentType: "slots.content-type" }),
  "reserve.whole-dimensions": [
    "A reservation is refused whose device dimensions have a fraction.",
    "reserve.formats",
    refusing(like("builds.reserve", { deviceSpec: (spec) => Object.values(members(spec)).some(hasFraction) }))
  ],
  "files.type-one-slot": [
    "Declared files of one content type have the slot of the first of them.",
    "files",
    otherSlots("builds", "files", (slots) => {
      const typeOf = (slot: Json) => members(slot).contentType
      return slots.map((slot) => slots.find((one) => typeOf(one) === typeOf(slot)) ?? slot)
    })
  ],
  "files.parameter-refused": [
    "A PUT whose content type has a parameter is refused.",
    "files",
    refusing(at("put", ({ headers }) => headers["content-type"]?.includes(";") === true))
  ],
  "files.key-wanted": [
    "The PUT of a file requires an API key.",
    "files",
    refusing(at("put", ({ by, reservation, url }) => by === "none" && (reservation?.putUrls.indexOf(url) ?? 0) > 0))
  ]
}

/** What a slot is given for. */
export const emptyFileMutants = (profile: "builds" | "previews"): MutantTable => ({
  "files.empty-without-slot": [
    "A declared file of no bytes has no slot.",
    "files.empty",
    asking(at(`${profile}.reserve`), (call) =>
      saying(call, { files: items(call.fields.files).filter((file) => members(file).sizeBytes !== 0) })
    )
  ]
})

/** For which repositories a build is reserved. */
const repositoryMutants: MutantTable = {
  "reserve.unlinked-granted": [
    "A reservation for a repository that is linked to no account is granted.",
    "reserve.unlinked-repository",
    asking(
      at("builds.reserve", ({ fields }, target) => isUnlinked(fields.owner, fields.repo, target)),
      (call, { config }) => saying(call, config.accounts.a.linked)
    )
  ],
  "reserve.foreign-granted": [
    "A reservation for another account's repository is granted.",
    "reserve.foreign-repository",
    forEither(reserve)
  ],
  "reserve.foreign-done": [
    "A reservation for another account's repository is refused, and done all the same.",
    "reserve.foreign-repository",
    refusesButPerforms(reserve)
  ]
}

const finalize = at("builds.finalize")
const everyAnswer = at(["builds.reserve", "builds.finalize", "builds.latest", "builds.read"])

/** What finalize answers of a build that is ready. */
export const finalizeMutants: MutantTable = {
  "finalize.answers-200": [
    "Finalize answers 200.",
    "finalize.created",
    answeringDone(finalize, ({ json }) => answer(200, members(json)))
  ],
  ...lacking("finalize", "The row that finalize answers", finalize, {
    previewUrl: "finalize.preview-url",
    status: "finalize.status",
    url: "reserve.url"
  }),
  "finalize.processing": [
    "Finalize answers that the build is processing, and a read that it is ready.",
    "read.same-status",
    changingFields(finalize, (fields) => ({ ...fields, status: "processing" }))
  ],
  "urls.relative": [
    "The previewUrl of a build is relative, wherever it is answered.",
    "finalize.absolute-urls",
    changingFields(everyAnswer, (fields) =>
      typeof fields.previewUrl === "string" ? { ...fields, previewUrl: new URL(fields.previewUrl).pathname } : fields
    )
  ],
  "rows.one-preview-url": [
    "All builds have one previewUrl.",
    "read.each",
    changingFields(everyAnswer, (fields) =>
      fields.previewUrl === undefined || fields.previewUrl === null
        ? fields
        : { ...fields, previewUrl: "http://reference.example/replay" }
    )
  ]
}

/** Requests with a token that aren't a finalize, by the names of their checks. */
const noFinalize = {
  "other-operation": [
    "any-operation",
    "another operation",
    like("builds.finalize", { operation: (one) => one !== "finalize" })
  ],
  "no-operation": ["by-token-alone", "no operation", like("builds.reserve", { token: present })]
} as const

const asFinalize = (call: Call): Call => saying(call, { operation: "finalize" })

/** Which bodies finalize a build. */
const operationMutants: MutantTable = {
  "finalize.any-case": [
    "A token with `FINALIZE` finalizes a build.",
    "finalize.other-operation",
    asking(like("builds.finalize", { operation: "FINALIZE" }), asFinalize)
  ],
  "finalize.trimmed": [
    "A token with `finalize` and a space finalizes a build.",
    "finalize.other-operation",
    asking(like("builds.finalize", { operation: "finalize " }), asFinalize)
  ],
  ...eachOf(noFinalize, ([id, operation, where], check) => [
    `finalize.${id}`,
    `A token with ${operation} finalizes a build.`,
    `finalize.${check}`,
    asking(where, asFinalize)
  ]),
  ...eachOf(noFinalize, ([id, operation, where], check) => [
    `finalize.${id}-done`,
    `A token with ${operation} is refused, and finalizes all the same.`,
    `finalize.${check}`,
    continuing(where, (refusal, call, ask) => Effect.as(ask(asFinalize(call)), refusal))
  ])
}

/** Changes the answer about a build that was reserved or ready before, when it is reserved or finalized again. */
const revealingKnown = (
  endpoint: "builds.reserve" | "builds.finalize",
  known: "reserved" | "ready",
  change: (fields: Fields) => Fields,
  status?: number
): Middleware => {
  return (ask) => {
    const states = new Map<Json | undefined, "reserved" | "ready">()
    return (call) =>
      Effect.map(ask(call), (answer) => {
        if ((call.endpoint !== "builds.reserve" && call.endpoint !== "builds.finalize") || !isDone(answer))
          return answer
        const fields = members(answer.json)
        const before = states.get(fields.id)
        states.set(fields.id, before === "ready" || call.endpoint === "builds.finalize" ? "ready" : "reserved")
        const other = status === undefined ? answer : { ...answer, status }
        return call.endpoint === endpoint && before === known ? withBody(other, change(fields)) : answer
      })
  }
}

const otherUrl = (fields: Fields): Fields => ({ ...fields, url: followedBy("/2")(fields.url) })
const otherId = (fields: Fields): Fields => ({ ...fields, id: followedBy("-2")(fields.id) })

const parts = ["owner", "repo", "branch", "platform", "commitSha"] as const

/** The identity of a build as text, without these parts. */
const identity = (fields: Fields, left: ReadonlyArray<(typeof parts)[number]>): string =>
  JSON.stringify(parts.filter((part) => !left.includes(part)).map((part) => fields[part]))

const isOfBuilds = at(["builds.reserve", "builds.finalize", "builds.latest", "builds.read"])

/** Answers every build with the id and url of the first build that is the same to it. */
const goingByTheFirst =
  (sameness: (fields: Fields) => string): Middleware =>
  (ask, target) => {
    const first = new Map<string, string>()
    const named = (call: Call, fields: Fields): Fields => {
      const { id } = fields
      if (typeof id !== "string") return fields
      const same = sameness(call.endpoint === "builds.reserve" ? call.fields : fields)
      const known = first.get(same) ?? id
      first.set(same, known)
      return members(JSON.parse(JSON.stringify(fields).replaceAll(id, known)))
    }
    return (call) =>
      Effect.map(ask(call), (answer) =>
        isOfBuilds(call, target) && isDone(answer) ? withBody(answer, named(call, members(answer.json))) : answer
      )
  }

/** The parts of an identity that a host may ignore, by their names in the ids of checks, and the checks that report it. */
const ignorable = {
  branch: [["branch"], ["identity.other-branch", "identity.branch-in-full"]],
  platform: [["platform"], "identity.other-platform"],
  // A digit of the commit is a part of it.
  commit: [["commitSha"], ["identity.other-commit", "identity.commit-in-full", "read.each"]],
  repository: [["owner", "repo"], "identity.other-repository"]
} as const

/** The checks that two uploads of one bundle are two builds. */
const differences = [
  "identity.other-branch",
  "identity.other-platform",
  "identity.other-commit",
  "identity.commit-in-full",
  "identity.other-repository"
] as const

/** Names of branches that a host may take for one: how they are alike, and what is compared of them. */
const folded: Readonly<Record<string, readonly [what: string, fold: (name: string) => string]>> = {
  cut: ["share forty characters", (name) => name.slice(0, 40)],
  "case-folded": ["differ in case alone", (name) => name.toLowerCase()],
  normalized: ["are written in other code points alone", (name) => name.normalize("NFC")]
}

/** Answers with the digest that a build had when it was first seen. */
const firstDigest: Middleware = (ask, ...host) => {
  const first = new Map<Json | undefined, Json | undefined>()
  const showing = changingFields(at(["builds.finalize", "builds.latest", "builds.read"]), (fields) => {
    if (!first.has(fields.id)) first.set(fields.id, fields.contentHash)
    return { ...fields, contentHash: first.get(fields.id) }
  })
  return showing(ask, ...host)
}

/** Makes another build of a request that arrives while one about the same build is under way. */
const losingRaces =
  (endpoint: "builds.reserve" | "builds.finalize"): Middleware =>
  (ask) => {
    const underWay: Array<string> = []
    return (call) => {
      if (call.endpoint !== endpoint) return ask(call)
      const key = identity(call.reservation?.call.fields ?? call.fields, [])
      const isLate = underWay.includes(key)
      underWay.push(key)
      return ask(call).pipe(
        Effect.map((answer) =>
          isLate && isDone(answer) ? withBody(answer, otherUrl(otherId(members(answer.json)))) : answer
        ),
        Effect.ensuring(Effect.sync(() => underWay.splice(underWay.indexOf(key), 1)))
      )
    }
  }

/** Which uploads are the same build, and which are another. */
const identityMutants: MutantTable = {
  "identity.new-id": [
    "Another upload of a ready build gives it another id.",
    ["identity.updated", "identity.finalized-at-once"],
    revealingKnown("builds.finalize", "ready", otherId)
  ],
  "identity.new-url": [
    "Another upload of a ready build gives it another url.",
    ["identity.updated", "identity.finalized-at-once"],
    revealingKnown("builds.finalize", "ready", otherUrl)
  ],
  "identity.other-url-when-ready": [
    "A reservation for a ready build answers another url than it has.",
    "identity.reserved-again",
    revealingKnown("builds.reserve", "ready", otherUrl)
  ],
  "identity.other-url-while-uploading": [
    "A second reservation of a build that isn't ready answers another url than the first.",
    ["identity.while-uploading", "identity.reserved-at-once"],
    revealingKnown("builds.reserve", "reserved", otherUrl)
  ],
  ...eachOf(ignorable, ([left, caughtBy], what) => [
    `identity.without-${what}`,
    `The id and the url of a build don't depend on its ${what}.`,
    caughtBy,
    goingByTheFirst((fields) => identity(fields, left))
  ]),
  "identity.old-digest": [
    "A build that was uploaded again shows the digest of its first upload.",
    "identity.new-digest",
    firstDigest
  ],
  "identity.update-answers-200": [
    "Finalize of another upload of a ready build answers 200.",
    "identity.updated",
    revealingKnown("builds.finalize", "ready", (fields) => fields, 200)
  ],
  "identity.by-content": [
    "Builds of one bundle are one build.",
    [...differences, "identity.branch-in-full"],
    goingByTheFirst(({ contentHash }) => JSON.stringify(contentHash))
  ],
  ...eachOf(folded, ([what, fold], id) => [
    `identity.branch-${id}`,
    `Builds of branches whose names ${what} are one build.`,
    "identity.branch-in-full",
    goingByTheFirst((fields) => identity({ ...fields, branch: fold(String(fields.branch)) }, []))
  ]),
  "identity.race-of-reservations": [
    "Two reservations of one build that arrive at the same time are two builds.",
    "identity.reserved-at-once",
    losingRaces("builds.reserve")
  ],
  "identity.race-of-finalizes": [
    "Two finalizes of one build that arrive at the same time are two builds.",
    "identity.finalized-at-once",
    losingRaces("builds.finalize")
  ],
  "identity.short-commits": [
    "Two commits that share seven digits are one build.",
    "identity.commit-in-full",
    goingByTheFirst((fields) => identity({ ...fields, commitSha: String(fields.commitSha).slice(0, 7) }, []))
  ],
  "identity.commits-alike": [
    "An upload of another commit updates the build of the branch and platform.",
    ["identity.other-commit", "identity.commit-in-full", "read.each"],
    sayingInstead(like("builds.reserve", { commitSha: present }), { commitSha: "0".repeat(40) })
  ]
}

const latest = at("builds.latest")
const read = at("builds.read")

const text = (json: Json | undefined): string => (typeof json === "string" ? json : "")

/** What the latest build of a branch is chosen by: all of it holds of the right one. */
const criteria = {
  repository: (build: Fields, query: Fields): boolean => build.owner === query.owner && build.repo === query.repo,
  branch: (build: Fields, query: Fields): boolean => build.branch === query.branch,
  platform: (build: Fields, { platform = "ios" }: Fields): boolean => build.platform === platform
}

/** Answers as the latest of a branch the ready build that `choose` selects of those for which the other criteria hold. */
const choosing =
  (
    changed: Partial<typeof criteria>,
    choose: (ready: ReadonlyArray<Fields>) => Fields | undefined = (ready) => ready.at(-1)
  ): Middleware =>
  (ask) => {
    const ready: Array<Fields> = []
    const wanted = Object.values({ ...criteria, ...changed })
    return (call) =>
      Effect.map(ask(call), (answer) => {
        if (!isDone(answer)) return answer
        if (call.endpoint === "builds.finalize") ready.push(members(answer.json))
        if (call.endpoint !== "builds.latest") return answer
        const chosen = choose(ready.filter((build) => wanted.every((holds) => holds(build, call.query))))
        return chosen === undefined ? answer : withBody(answer, chosen)
      })
  }

const anything = () => true
const withoutPlatform = like("builds.latest", { platform: undefined })

/** Asks for Android where there is nothing for iOS. */
const orAndroid: Middleware = continuing(withoutPlatform, (answer, call, ask) =>
  isDone(answer) ? Effect.succeed(answer) : ask(querying(call, { platform: "android" }))
)

/** What is read as the latest build of a branch. */
const latestMutants: MutantTable = {
  "latest.other-url": [
    "The latest build of a branch has the url of the branch instead of the build's own.",
    [
      "latest.url",
      "latest.newest",
      "latest.of-its-branch",
      "latest.of-its-repository",
      "latest.platform",
      "latest.default-platform"
    ],
    changingFields(latest, (fields) => ({ ...fields, url: followedBy("/latest")(fields.url) }))
  ],
  ...lacking("latest", "The latest build of a branch, and not the same build by its id,", latest, {
    previewUrl: "latest.preview-url",
    status: "latest.status-fields"
  }),
  "latest.first": [
    "The latest build of a branch is the one that was ready first.",
    "latest.newest",
    choosing({}, ([first]) => first)
  ],
  "latest.branch-by-prefix": [
    "The latest build of a branch may be that of a branch whose name begins with its name.",
    "latest.of-its-branch",
    choosing({ branch: (build, query) => text(build.branch).startsWith(text(query.branch)) })
  ],
  "latest.branch-by-pattern": [
    "The latest build of a branch may be that of one that fits its name as a pattern of SQL.",
    "latest.of-its-branch",
    choosing({ branch: (build, query) => fitsPattern(text(build.branch), text(query.branch)) })
  ],
  "latest.branch-normalized": [
    "The latest build of a branch may be that of one whose name is written in other code points.",
    "latest.of-its-branch",
    choosing({ branch: (build, query) => text(build.branch).normalize() === text(query.branch).normalize() })
  ],
  "latest.repository-by-owner": [
    "The latest build of a branch may be that of another repository of the same owner.",
    "latest.of-its-repository",
    choosing({ repository: (build, query) => build.owner === query.owner })
  ],
  "latest.repository-ignored": [
    "The latest build of a branch may be that of another repository's branch of the same name.",
    "latest.of-its-repository",
    choosing({ repository: anything })
  ],
  "latest.any-platform": [
    "The latest build of a branch is the newest of all platforms.",
    ["latest.platform", "latest.default-platform"],
    choosing({ platform: anything })
  ],
  "latest.platform-ignored": [
    "The latest build of a branch is always the one for iOS.",
    ["choices-kept", "latest.platform", "put.after-finalize", "scope.suffices"],
    queryingInstead(latest, { platform: undefined })
  ],
  "latest.platform-required": [
    "The read of the latest build of a branch is refused without a platform.",
    "latest.default-platform",
    refusing(withoutPlatform)
  ],
  "latest.default-android": [
    "The platform of the latest build defaults to Android.",
    ["latest.default-platform", "latest.default-is-not-android"],
    queryingInstead(withoutPlatform, { platform: "android" })
  ],
  "latest.android-if-no-ios": [
    "Without a platform the latest build is the one for Android when there is none for iOS.",
    "latest.default-is-not-android",
    orAndroid
  ]
}

const branchOf = ({ branch, owner, platform = "ios", repo }: Fields): string =>
  JSON.stringify([owner, repo, branch, platform])

/** Shows the latest reservation of a branch that has no ready build, with a previewUrl. */
const early: Middleware = (ask) => {
  const reserved = new Map<string, Fields>()
  return (call) =>
    Effect.map(ask(call), (answered) => {
      if (call.endpoint === "builds.reserve" && accountOf(call) === "a" && isDone(answered)) {
        const { id, url } = members(answered.json)
        reserved.set(branchOf(call.fields), { id, status: "uploading", url, previewUrl: followedBy("/replay")(url) })
      }
      if (call.endpoint !== "builds.latest") return answered
      if (members(answered.json).status === "ready") return answered
      const shown = accountOf(call) === "a" && keyOf(call) === "all" ? reserved.get(branchOf(call.query)) : undefined
      return shown === undefined ? answered : answer(200, { ...members(answered.json), ...shown })
    })
}

/** What is answered of a build too early, and by its id. */
const byIdMutants: MutantTable = {
  "latest.early-preview-url": [
    "The latest build of a branch has a previewUrl before anything was uploaded.",
    "latest.no-early-preview-url",
    early
  ],
  "read.other-url": [
    "A build that is read by its id has another url.",
    "read.url",
    changingFields(read, (fields) => ({ ...fields, url: followedBy("/by-id")(fields.url) }))
  ],
  "read.latest-of-branch": [
    "A build that is read by its id is the latest of its branch.",
    "read.each",
    continuing(read, (answer, call, ask) => {
      const { branch, owner, platform, repo } = members(answer.json)
      const query = new URLSearchParams({
        owner: text(owner),
        repo: text(repo),
        branch: text(branch),
        platform: text(platform)
      })
      return isDone(answer) ? ask(reading(call, "builds.latest", `/builds?${query}`)) : Effect.succeed(answer)
    })
  ],
  "read.uploading": [
    "A ready build that is read by its id has another status than by its branch.",
    "read.same-status",
    changingFields(read, (fields) => ({ ...fields, status: "uploading" }))
  ],
  "read.enveloped": [
    "A build that is read by its id is in an envelope, and the latest of a branch isn't.",
    "read.same-shape",
    answeringDone(read, (answer) => withBody(answer, { build: answer.json }))
  ],
  "read.no-status": [
    "A build that is read by its id has no status, although the latest of a branch has one.",
    "read.same-shape",
    without(read, "status")
  ]
}

/** What may not be read, by the names of checks: a sentence's subject, and the requests for it. */
export const notLinked = {
  "latest.unlinked": [
    "The latest build of a repository that is linked to no account",
    at("builds.latest", ({ query }, target) => isUnlinked(query.owner, query.repo, target))
  ],
  "latest.foreign": [
    "The latest build of another account's branch",
    at("builds.latest", (call) => accountOf(call) === "b")
  ],
  "read.foreign": ["Another account's build by its id", at("builds.read", (call) => accountOf(call) === "b")]
} as const

/** How a read of a repository that isn't linked to the account is answered. */
const notLinkedMutants: MutantTable = {
  ...eachOf(notLinked, ([subject, where], check) => [
    `${check}-code-in-message`,
    `${subject} is 404 with another code, and not_found as its message.`,
    check,
    answeringNotFound(where, answer(404, { code: "missing", message: "not_found" }))
  ]),
  "latest.unlinked-below-owner": [
    "The latest build of any repository of a linked repository's owner is answered.",
    "latest.unlinked",
    answeringNotFound(
      at("builds.latest", ({ query }, target) => isBelowOwner(query.owner, query.repo, target)),
      answer(200, {})
    )
  ],
  "read.foreign-url": [
    "The refusal of another account's build shows its url.",
    "read.foreign",
    foreignUrl("builds.read", 404, "not_found")
  ]
}

/** The answers to the third finalize of a build have another id. */
const movingThird: Middleware = (ask, ...host) => {
  const finalized = new Map<Json | undefined, number>()
  return changingFields(at("builds.finalize"), (fields) => {
    const times = (finalized.get(fields.id) ?? 0) + 1
    finalized.set(fields.id, times)
    return times < 3 ? fields : { ...fields, id: followedBy("0")(fields.id) }
  })(ask, ...host)
}

const sequenceMutants: MutantTable = {
  "sequence.third-upload-moves": ["The third upload of a build gives it another id.", "sequence", movingThird]
}

/** Hosts with a fault in builds, in the order of the checks. */
export const buildMutants = toMutants(
  "builds",
  reserveMutants,
  repositoryMutants,
  emptyFileMutants("builds"),
  uploadMutants("builds"),
  finalizeMutants,
  operationMutants,
  finalizerMutants("builds"),
  afterFinalizeMutants("builds"),
  identityMutants,
  latestMutants,
  byIdMutants,
  notLinkedMutants,
  sequenceMutants,
  keyMutants("builds"),
  mistakeMutants.builds,
  choiceMutants.builds
)
