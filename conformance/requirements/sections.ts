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

const field = ["field", "type", "what"]

/** Every section of the interface, in order. */
export const sections: ReadonlyArray<Section> = [
  { number: "1", title: "What the service does" },
  { number: "2", title: "Resources and their fields" },
  {
    number: "2.1",
    title: "Reserving a build: the request",
    intro: `${table(field, [
      ["`owner`, `repo`", "string", "the repository"],
      ["`branch`", "string", "the branch that was built"],
      ["`platform`", "`ios` or `android`", "reads that leave it out mean `ios`"],
      ["`commitSha`", "string", "the commit, 40 hexadecimal digits"],
      ["`contentHash`", "string", "SHA-256 of the bundle before any compression"],
      ["`bundleSizeBytes`", "integer", "how many bytes the PUT of the bundle will have"],
      ["`bundleContentType`", "string", "MIME type of the bundle"],
      ["`bundleOrigin`", "string", "URL of the origin that served the bundle"],
      ["`entry`", "string", "name of the entry module"],
      ["`isTransformed`", "boolean", "whether the bundle is transformed already"],
      ["`deviceSpec`", "`{width, height}`, numbers", "size of the device's screen"],
      ["`files`", "array", "more files, declared beside the bundle"]
    ])}

Open: which fields are required, and the shape of an item of \`files\`.`
  },
  { number: "2.2", title: "Reserving a build: the answer" },
  { number: "2.3", title: "Finalizing a build: the request" },
  {
    number: "2.4",
    title: "The row of a build",
    intro: "Open: every other field, and the values of the status fields."
  },
  { number: "2.5", title: "Upload slots" },
  {
    number: "2.6",
    title: "Previews",
    intro: "Open: the other fields of the request, and what is inside each group of the metadata."
  },
  {
    number: "2.7",
    title: "Test runs",
    intro: `${table(field, [
      ["`kind`", "`maestro` or `detox`", "which tool ran the test"],
      ["`name`, `prompt`", "string", "what the test is called, what it was asked to do"],
      ["`status`", "string", "how it ended"],
      ["`owner`, `repo`", "string", "the repository"],
      ["`branch`, `commitSha`", "string", "what was tested"],
      ["`previewShareId`", "string", "the preview that the run points at"],
      ["`stepCount`", "integer", "how many steps the test has"],
      ["`durationMs`", "integer", "how long it took, in milliseconds"],
      ["`failureMessage`", "string", "why it failed"],
      ["`failedStepIndex`", "integer", "which step failed"]
    ])}

Open: further fields of the stored run.`
  },
  { number: "3", title: "States and what moves between them" },
  { number: "4", title: "Endpoints" },
  { number: "4.1", title: "Reserve a build", intro: "`POST /api/v1/builds`. Open: the status of the answer." },
  { number: "4.2", title: "Upload bytes", intro: "`PUT` to the `putUrl` of each slot." },
  { number: "4.3", title: "Finalize a build", intro: "`POST /api/v1/builds`, after every upload is complete." },
  {
    number: "4.4",
    title: "Read the latest build of a branch",
    intro: "`GET /api/v1/builds?owner=…&repo=…&branch=…&platform=…`"
  },
  { number: "4.5", title: "Read a build by its id", intro: "`GET /api/v1/builds/{id}`" },
  {
    number: "4.6",
    title: "Reserve a preview",
    intro: "`POST /api/v1/previews`. Open: body, and status of the answer."
  },
  { number: "4.7", title: "Finalize a preview", intro: "`POST /api/v1/previews/finalize`. Open: the body." },
  { number: "4.8", title: "Read a preview", intro: "`GET /api/v1/previews/{id}`" },
  { number: "4.9", title: "Register a test run", intro: "`POST /api/v1/test-runs`. Open: the status of the answer." },
  {
    number: "4.10",
    title: "List test runs",
    intro:
      "`GET /api/v1/test-runs?org=…&repo=…&branch=…&kind=…&limit=…`. Open: the shape of the answer, and what `status`, `source` and `pr` take."
  },
  {
    number: "5",
    title: "Authentication",
    intro: "Open: how a key is presented with a request, and how keys are issued."
  },
  { number: "6", title: "Events", intro: "Open: events, webhooks and notifications." },
  {
    number: "7",
    title: "Errors",
    intro: "Open: every other condition, its status and code, and the shape of an error's body."
  },
  {
    number: "8",
    title: "Limits",
    intro: "Open: limits of size and rate, and how long a token lives."
  },
  { number: "9", title: "Versioning", intro: "Open: compatibility and deprecation." }
]
