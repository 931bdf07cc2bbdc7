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
  { number: "4.2", title: "Upload bytes", intro: "`PUT` to the `putUrl` of each slot." },
  { number: "4.3", title: "Finalize a build", intro: "`POST /api/v1/builds`, after every upload is complete." },
  {
    number: "4.4",
    title: "Read the latest build of a branch",
    intro: "`GET /api/v1/builds?owner=…&repo=…&branch=…&platform=…`"
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
    title: "List test runs",
    intro:
      "`GET /api/v1/test-runs?org=…&repo=…&branch=…&kind=…&limit=…`\n- **Open** The shape of the response, and the values of `status`, `source` and `pr`."
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
