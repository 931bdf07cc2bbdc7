import type { Check } from "../checks/steps.ts"
import { createHash } from "node:crypto"
import { Schema } from "effect"

/** How binding a sentence is, as RFC 2119 has it. */
export type Level = "MUST" | "SHOULD" | "MAY"

/** One normative sentence of the interface. */
export interface Sentence {
  /** Never changes and is never given to another sentence. */
  readonly id: string
  /** The section of the interface that it stands in, such as `4.3`. */
  readonly section: string
  readonly level: Level
  /** The sentence, complete in itself. */
  readonly text: string
  /** The sections that it follows from, where the interface doesn't state it in so many words. */
  readonly from?: ReadonlyArray<string>
}

/** A sentence that shows from outside. */
interface Observable extends Sentence {
  /** The ids of the checks that prove it: an implementation that breaks it fails at least one of them. */
  readonly checks: ReadonlyArray<string>
}

/** A sentence that no request can show to be broken. */
interface Unobservable extends Sentence {
  /** Why not, in one sentence. */
  readonly unobservable: string
}

export type Requirement = Observable | Unobservable

/** A sentence that binds without exception, and the checks that prove it. */
export const must = (id: string, section: string, text: string, checks: ReadonlyArray<string>): Observable => ({
  id,
  section,
  level: "MUST",
  text,
  checks
})

/**
 * A sentence that the interface doesn't state but that follows from these sections, and the checks that prove it. It binds
 * unless there is good reason against it, so it alone never makes a verdict `failed`.
 */
export const derived = (
  id: string,
  section: string,
  text: string,
  from: ReadonlyArray<string>,
  checks: ReadonlyArray<string>
): Observable => ({ ...must(id, section, text, checks), level: "SHOULD", from })

/** A sentence that binds without exception, and why nobody can see from outside whether it is kept. */
export const unseen = (id: string, section: string, text: string, unobservable: string): Unobservable => ({
  id,
  section,
  level: "MUST",
  text,
  unobservable
})

/** The order of the sections. */
export const bySection = (one: Sentence, other: Sentence): number =>
  one.section.localeCompare(other.section, "en", { numeric: true })

/** The ids of the checks that prove a sentence; none where it doesn't show. */
export const checksOf = (requirement: Requirement): ReadonlyArray<string> =>
  "checks" in requirement ? requirement.checks : []

/** A section of the interface: what its sentences take for granted. The sentences themselves are the requirements. */
export interface Section {
  /** Its number, such as `4.3`: what {@link Sentence.section} names, and its anchor in `docs/interface.md`. */
  readonly number: string
  readonly title: string
  /** What stands before the sentences, in Markdown: a table of fields, a request line. */
  readonly intro?: string
}

/** Rows of a Markdown table. */
const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const field = ["field", "type", "meaning"]

/** Every section of the interface, in order. */
export const sections: ReadonlyArray<Section> = [
  { number: "1", title: "What the service does" },
  { number: "2", title: "Resources and their fields" },
  {
    number: "2.1",
    title: "Request to reserve a build",
    intro: `${table(field, [
      ["`owner`, `repo`", "string", "the repository"],
      ["`branch`", "string", "its branch"],
      ["`platform`", "`ios` or `android`", "default of reads: `ios`"],
      ["`commitSha`", "string", "the commit, 40 hexadecimal digits"],
      ["`contentHash`", "string", "SHA-256 of the bundle before any compression"],
      ["`bundleSizeBytes`", "integer", "bytes in the PUT of the bundle"],
      ["`bundleContentType`", "string", "MIME type of the bundle"],
      ["`bundleOrigin`", "string", "URL of the origin that served the bundle"],
      ["`entry`", "string", "name of the entry module"],
      ["`isTransformed`", "boolean", "whether the bundle is already transformed"],
      ["`deviceSpec`", "`{width, height}`, numbers", "screen size of the device"],
      ["`files`", "array", "additional files"]
    ])}

- **Open** Which fields are required, and the shape of an item of \`files\`.`
  },
  { number: "2.2", title: "Response to a build reservation" },
  { number: "2.3", title: "Request to finalize a build" },
  {
    number: "2.4",
    title: "Build row",
    intro: "- **Open** Every other field, and the values of the status fields."
  },
  { number: "2.5", title: "Upload slots" },
  {
    number: "2.6",
    title: "Previews",
    intro: "- **Open** The other fields of the request, and the fields in each group of the metadata."
  },
  {
    number: "2.7",
    title: "Test runs",
    intro: `${table(field, [
      ["`kind`", "`maestro` or `detox`", "the tool that ran the test"],
      ["`name`, `prompt`", "string", "name of the test, and what it was asked to do"],
      ["`status`", "string", "result of the test"],
      ["`owner`, `repo`", "string", "the repository"],
      ["`branch`, `commitSha`", "string", "the tested commit"],
      ["`previewShareId`", "string", "the preview of the run"],
      ["`stepCount`", "integer", "number of steps"],
      ["`durationMs`", "integer", "duration in milliseconds"],
      ["`failureMessage`", "string", "reason of the failure"],
      ["`failedStepIndex`", "integer", "index of the failed step"]
    ])}

- **Open** Further fields of the stored run.`
  },
  { number: "3", title: "States and transitions" },
  { number: "4", title: "Endpoints" },
  { number: "4.1", title: "Reserve a build: `POST /api/v1/builds`", intro: "- **Open** The status of the response." },
  { number: "4.2", title: "Upload bytes: `PUT` to the `putUrl` of each slot" },
  { number: "4.3", title: "Finalize a build, after every upload is complete: `POST /api/v1/builds`" },
  {
    number: "4.4",
    title: "Read the latest build of a branch: `GET /api/v1/builds?owner=…&repo=…&branch=…&platform=…`"
  },
  { number: "4.5", title: "Read a build by its id: `GET /api/v1/builds/{id}`" },
  {
    number: "4.6",
    title: "Reserve a preview: `POST /api/v1/previews`",
    intro: "- **Open** The body and the status of the response."
  },
  { number: "4.7", title: "Finalize a preview: `POST /api/v1/previews/finalize`", intro: "- **Open** The body." },
  { number: "4.8", title: "Read a preview: `GET /api/v1/previews/{id}`" },
  {
    number: "4.9",
    title: "Register a test run: `POST /api/v1/test-runs`",
    intro: "- **Open** The status of the response."
  },
  {
    number: "4.10",
    title: "List test runs: `GET /api/v1/test-runs?org=…&repo=…&branch=…&kind=…&limit=…`",
    intro: "- **Open** The shape of the response, and the values of `status`, `source` and `pr`."
  },
  {
    number: "5",
    title: "Authentication",
    intro: "- **Open** How a request contains a key, and how keys are issued."
  },
  { number: "6", title: "Events", intro: "- **Open** Events, webhooks and notifications." },
  {
    number: "7",
    title: "Errors",
    intro: "- **Open** All other errors, their status and code, and the shape of error bodies."
  },
  {
    number: "8",
    title: "Limits",
    intro: "- **Open** Size limits, rate limits, and the lifetime of a token."
  },
  { number: "9", title: "Versioning", intro: "- **Open** Compatibility and deprecation." }
]

/** A sentence, and what stands for it: the checks that prove it, or why none can. */
interface CoverageRow extends Sentence {
  readonly checks: ReadonlyArray<Pick<Check, "id" | "title">>
  readonly unobservable?: string
}

/** Every sentence with what proves it, and the sums. */
interface Coverage {
  /** In the order of the sections. */
  readonly rows: ReadonlyArray<CoverageRow>
  readonly sentences: number
  /** The sentences that bind without exception and show from outside. */
  readonly observableMusts: number
  /** Of those, the ones that a check proves. */
  readonly coveredMusts: number
  readonly unobservable: number
  readonly checks: number
}

/** What the suite covers of the interface. A check that isn't there counts for nothing. */
export const coverage = (requirements: ReadonlyArray<Requirement>, checks: ReadonlyArray<Check>): Coverage => {
  const byId = new Map(checks.map(({ id, title }) => [id, { id, title }]))
  const rows = requirements.toSorted(bySection).map((requirement): CoverageRow => {
    const { id, level, section, text } = requirement
    return {
      id,
      section,
      level,
      text,
      checks: checksOf(requirement).flatMap((check) => byId.get(check) ?? []),
      ...("unobservable" in requirement ? { unobservable: requirement.unobservable } : {})
    }
  })
  const musts = rows.filter(({ level, unobservable }) => level === "MUST" && unobservable === undefined)
  return {
    rows,
    sentences: rows.length,
    observableMusts: musts.length,
    coveredMusts: musts.filter((row) => row.checks.length > 0).length,
    unobservable: rows.filter(({ unobservable }) => unobservable !== undefined).length,
    checks: checks.length
  }
}

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** What a sentence says and how binding it is, as lower-case hex SHA-256. */
export const sentenceDigest = ({ id, level, section, text }: Sentence): string =>
  sha256(JSON.stringify([id, section, level, text]))

const Reviewed = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))

/** The content of `reviewed.json`: the digest of each reviewed sentence, by its id. */
export const readReviewed = Schema.decodeSync(Reviewed)

/** The ids of the sentences to review: new, changed or removed. */
export const unreviewed = (
  requirements: ReadonlyArray<Sentence>,
  reviewed: Readonly<Record<string, string>>
): ReadonlyArray<string> => [
  ...requirements.filter((one) => reviewed[one.id] !== sentenceDigest(one)).map(({ id }) => id),
  ...Object.keys(reviewed).filter((id) => !requirements.some((one) => one.id === id))
]
