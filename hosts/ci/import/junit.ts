/**
 * Reads JUnit's XML as a stream: of a report that was cut, the test cases that stand whole, and the one that it was cut in.
 * JUnit has no standard: the tables below have what each element, attribute and word means, and how the reports of a tool
 * differ.
 */
import { basename, extname } from "node:path"
import { SaxesParser } from "saxes"
import { groupedBy } from "../../../core/rules/attempts.ts"
import { plainLine } from "../../../core/model/plainText.ts"
import { recordingType, type Found } from "./files.ts"
import type { ImportLog } from "./recordedRun.ts"
import { beginningOf, numberOf, textIn, textParts } from "./json.ts"

type Attributes = Readonly<Record<string, string>>

/** What an element in a test case or a suite means, in lower case: as here, or like the word that it is. */
const elements: Readonly<
  Record<string, "passed" | "failed" | "failed before" | "failed again" | "skipped" | "unknown" | "output">
> = {
  // Surefire, Gradle and Playwright: a try of a test that passed in the end, or of one that never did.
  flakyfailure: "failed before",
  flakyerror: "failed before",
  rerunfailure: "failed again",
  rerunerror: "failed again",
  // Ant: an assumption of the test wasn't met.
  aborted: "skipped",
  inconclusive: "unknown",
  incomplete: "unknown",
  interrupted: "unknown",
  canceled: "unknown",
  cancelled: "unknown",
  // Visual Studio.
  errorinfo: "failed",
  stdout: "output",
  // CTest.
  measurement: "output",
  namedmeasurement: "output",
  "system-out": "output",
  "system-err": "output"
}

/** Attributes with a word for the result, where no element shows it. */
const wordAttributes = ["status", "result", "outcome", "state", "verdict"]

/** What the message of a skipped test means, where its tool did not leave the test out on purpose. */
const skipMessages: ReadonlyArray<readonly [message: RegExp, meaning: "unknown" | "failed" | "todo"]> = [
  // CTest fails these.
  [/^(?:Unable to find executable|Fixture dependency failed|Required Files Missing|Insufficient resources)/, "unknown"],
  // nose2.
  [/^test passes unexpectedly$/, "failed"],
  // Catch2.
  [/^TEST_CASE tagged with !mayfail$/, "todo"]
]

/** What such a word means, in lower case and without spaces. The result of a test with any other word is unknown. */
const words: ReadonlyMap<string, "passed" | "failed" | "skipped"> = new Map(
  (
    [
      [
        "passed",
        "passed pass success successful succeeded ok run ran completed complete executed finished warning true"
      ],
      ["failed", "failed fail failure error errored exception broken timeout timedout crash crashed false"],
      [
        "skipped",
        "skipped skip notrun notexecuted notapplicable inapplicable na disabled ignored ignore pending todo suppressed excluded filtered"
      ]
    ] as const
  ).flatMap(([meaning, all]) => all.split(" ").map((word) => [word, meaning] as const))
)

/** What a word for a result means; `undefined` of one that isn't known. */
export const wordMeaning = (word: string) => words.get(word.toLowerCase().replaceAll(/[\s_/-]/g, ""))

const meaningOf = (element: string) => elements[element] ?? words.get(element)

const [yes, no] = [/^(?:true|yes|[1-9]\d*)$/i, /^(?:false|no|0)$/i]

/** Attributes that are yes or no, with what one of them means. In a suite, a number is a count. */
const flags: ReadonlyArray<readonly [name: string, value: RegExp, meaning: "failed" | "skipped"]> = [
  ["success", no, "failed"],
  ["passed", no, "failed"],
  ["failed", yes, "failed"],
  ["executed", no, "skipped"],
  ["skipped", yes, "skipped"],
  ["disabled", yes, "skipped"],
  ["ignored", yes, "skipped"]
]

/** The attributes of elements that are test cases. */
interface CaseForm {
  /** One of them shows that it is a test case, and its result. */
  readonly needs: ReadonlyArray<string>
  readonly name: string
  readonly time: string
  /** Whether its class is the name of its suite. */
  readonly isOfSuite?: true
}

/** The test cases in the XML of other tools, where only an attribute has the result. */
const caseElements: Readonly<Record<string, CaseForm>> = {
  // NUnit 3 and 2.
  "test-case": { needs: ["result", "executed"], name: "fullname", time: "duration" },
  // xUnit.net, CTest.
  test: { needs: ["result", "status"], name: "name", time: "time" },
  // TestNG.
  "test-method": { needs: ["status"], name: "name", time: "duration-ms", isOfSuite: true },
  // Visual Studio.
  unittestresult: { needs: ["outcome"], name: "testname", time: "duration" }
}

/** What such an element says, in the attributes of JUnit. */
const ownAttributes = (form: CaseForm, attributes: Attributes, suite: Suite | undefined): Attributes => {
  const name = attributes[form.name] ?? attributes["name"]
  const [, hours, minutes, seconds] = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(attributes[form.time] ?? "") ?? []
  const ofClock = hours === undefined ? undefined : (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  const plain = numberIn(attributes[form.time] ?? attributes["time"])
  const time = ofClock ?? (plain === undefined || !form.time.endsWith("-ms") ? plain : plain / 1000)
  return {
    ...attributes,
    ...(name === undefined ? {} : { name, classname: form.isOfSuite ? (suite?.attributes["name"] ?? name) : name }),
    ...(time === undefined ? {} : { time: String(time) })
  }
}

/** Whether an element has test cases in it: in TestNG, that of a class. */
const isSuite = (element: string, root: string): boolean =>
  element === "testsuite" || element === "test-suite" || (element === "class" && root === "testng-results")

/** Whether an element may have nothing but a word for the result, or the name of a test. */
const isWorded = (element: string): boolean => element === "name" || wordAttributes.includes(element)

/** The first elements of such XML. Some of them begin other files, too, which have no test cases. */
const otherRoots = /^(?:test-?run|test-results|assembl(?:y|ies)|testng-results|site)$/

/** NUnit writes such a failure into each suite that has a failed test. */
const failureOfChildren = /^(?:one or more child tests had errors|child test failed)/i

/** The names by which suites and reports count failures, each in two forms. */
const failureCounts = [
  ["failures", "failed", "failure"],
  ["errors", "error"]
] as const

/** The property of a suite or a test case that names its device: of the Android Gradle plugin and others. */
const deviceProperty = /^(?:device|destination|simulator)(?:[ ._-]?name)?$/i

/** Names of suites that say nothing of their tests. */
const plainSuite = /^(?:Test Suite|Root Suite|All ?Tests|pytest|jest tests|default)$/i

/** Attributes by name: what each must match, or that it must be missing. */
type Pattern = Readonly<Record<string, RegExp | "missing">>

interface Dialect {
  readonly tool: "Maestro" | "jest-junit" | "Flank" | "pytest" | "Mocha" | "Xcode" | "C++"
  /** A report is of this tool if it has all of one of these. Suites are those with test cases. */
  readonly shownBy: ReadonlyArray<{
    readonly root?: Pattern
    readonly someSuite?: Pattern
    readonly everySuite?: Pattern
    readonly someCase?: Pattern
    readonly everyCase?: Pattern
  }>
  /** Statuses that mean something else to it, which is not known. */
  readonly unknown?: RegExp
  /** Whether its counts include more than test cases: subtests, teardowns, parameters, assertions. */
  readonly countsMore?: true
  /** Whether the name of a suite is that of a device. */
  readonly namesDevice?: true
  /** Whether `flaky="true"` at a failure means that a later try passed, if no count has the failure. */
  readonly flakyPassed?: true
  /** Whether names may repeat the class: a setting, so that all names of a report do, or none. */
  readonly mayRepeatClass?: true
  /** A failure that belongs to the test case of the same name before it. */
  readonly partOfBefore?: RegExp
}

/** The tools whose reports mean something else than the tables above say. The first that fits is it. */
const dialects: ReadonlyArray<Dialect> = [
  {
    tool: "Maestro",
    shownBy: [
      { someCase: { status: /^[A-Z]+$/ } },
      { someSuite: { device: /^/ } },
      { everySuite: { name: /^Test Suite$/ }, everyCase: { id: /^/ } }
    ],
    // It had not started the flow when the run ended.
    unknown: /^PENDING$/
  },
  {
    tool: "pytest",
    shownBy: [{ root: { name: /^pytest tests$/ } }, { everySuite: { name: /^pytest$/ } }],
    countsMore: true,
    partOfBefore: /^failed on teardown/
  },
  {
    tool: "jest-junit",
    shownBy: [
      {
        root: { name: /^/ },
        everySuite: { skipped: /^/, hostname: "missing", timestamp: /^[-\d]+T[:\d]+$/ }
      }
    ],
    mayRepeatClass: true
  },
  {
    tool: "Flank",
    shownBy: [
      { everySuite: { name: /-\d+(?:\.\d+)?-[A-Za-z_]+-(?:portrait|landscape|default)\b/ } },
      { someSuite: { flakes: /^\d/, hostname: /^localhost$/ } }
    ],
    namesDevice: true,
    flakyPassed: true
  },
  // doctest and Catch2 count assertions.
  {
    tool: "C++",
    shownBy: [{ everySuite: { doctest_version: /^/ } }, { everySuite: { hostname: /^tbd$/ } }],
    countsMore: true
  },
  { tool: "Mocha", shownBy: [{ root: { name: /^Mocha Tests$/ } }], mayRepeatClass: true },
  {
    tool: "Xcode",
    shownBy: [
      { root: { name: /\.xctest$/ } },
      { someSuite: { name: /\.xctest$/ } },
      {
        everySuite: { hostname: "missing", timestamp: "missing", file: "missing" },
        everyCase: { name: /^(?:test(?![_a-z])\w*|.*\(.*\))$/, classname: /^\w+(?:\.\w+)?$/, file: "missing" }
      }
    ],
    countsMore: true
  }
]

/** A test case, with the attributes of its suite. */
export interface TestCase {
  readonly suite: Attributes
  readonly attributes: Attributes
  readonly properties: Attributes
  /** Its name with that of its class, or of its suites. */
  readonly fullName: string
  readonly file: string | undefined
  readonly device: string | undefined
  /** The message of a failure or an error; empty if the report has none. */
  readonly failure: string | undefined
  /** The messages of the tries that failed before its last one. */
  readonly earlierFailures: ReadonlyArray<string>
  /** What it printed, to stdout and stderr. */
  readonly output: string
  readonly isSkipped: boolean
  /** Why its outcome is unknown: the report ends in it, or has an unknown word for it. */
  readonly interruption: string | undefined
  readonly unknownStatus: string | undefined
}

/** A report. One that was cut may miss test cases that failed. */
export interface Report {
  readonly path: string
  readonly cases: ReadonlyArray<TestCase>
  /** Why it has fewer cases than ran, if no case of its own shows it. */
  readonly interruption: string | undefined
  /** Why it has fewer tests or failures than it counts. Maestro counts failures that only a status shows. */
  readonly lacking: string | undefined
  readonly tool: Dialect["tool"] | undefined
  /** What it is other than JUnit's XML. */
  readonly form: string | undefined
  /** Why it isn't imported. */
  readonly refusal: string | undefined
}

/** A reference to a character that XML has not, such as the one that begins a colour of a terminal: tools write them all the same. */
const controlReference = /&#(?:0*(\d{1,2})|[xX]0*([\dA-Fa-f]{1,2}));/g

const withControls = (text: string): string =>
  text.includes("&#")
    ? text.replaceAll(controlReference, (_, decimal?: string, hex?: string) =>
        String.fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal))
      )
    : text

/** Two texts of a failure: what stands in its attribute is often the beginning of what stands in it. */
const messageOf = (attribute: string, text: string): string =>
  text.includes(attribute.trim()) ? text.trim() : `${attribute}\n${text}`.trim()

/** A number as `1234.5`, `1,234.5`, `1.234,5` or `1234,5`: the last of two different marks, or a single comma, is the decimal one. */
const numberIn = (text: string | undefined): number | undefined => {
  const plain = text?.replaceAll(/[\s\u00A0\u202F'’]/g, "")
  if (plain === undefined || !plain.includes(",")) return numberOf(plain)
  const [comma, dot] = [plain.lastIndexOf(","), plain.lastIndexOf(".")]
  if (comma < dot || (dot === -1 && comma !== plain.indexOf(","))) return numberOf(plain.replaceAll(",", ""))
  return numberOf(plain.replaceAll(".", "").replace(",", "."))
}

export const durationMsOf = ({ attributes }: TestCase): number | undefined => {
  const seconds = numberIn(attributes["time"])
  return seconds === undefined || seconds < 0 ? undefined : Math.round(seconds * 1000)
}

interface Suite {
  attributes: Attributes
  readonly properties: Record<string, string>
  readonly within: Suite | undefined
  readonly failures: Array<string>
}

/** A test case as it stands in the XML. */
interface Read {
  readonly suite: Suite | undefined
  attributes: Attributes
  readonly properties: Record<string, string>
  /** Whether only an attribute shows the result: other tools write exceptions of tests that passed. */
  isOther: boolean
  failures: Array<string>
  readonly earlierFailures: Array<string>
  isSkipped: boolean
  /** Whether all tries failed. */
  isRerun: boolean
  /** Node passes a todo that fails. */
  isTodo: boolean
  output: string
  cut: string | undefined
}

const caseIn = (suite: Suite | undefined, attributes: Attributes, failures: Array<string> = []): Read => ({
  suite,
  attributes,
  properties: {},
  failures,
  earlierFailures: [],
  isOther: false,
  isSkipped: false,
  isRerun: false,
  isTodo: false,
  output: "",
  cut: undefined
})

/** What the attributes of a test case or a suite say of its result; a word that isn't known as it is. */
const saidIn = (
  attributes: Attributes,
  isSuite = false
): "failed" | "skipped" | { readonly unknown: string } | undefined => {
  // An element has another word than the attribute of its name.
  const said = wordAttributes.flatMap((name) => [name, `${name}:`]).flatMap((name) => attributes[name]?.trim() || [])
  const meanings = [
    ...said.map((word) => wordMeaning(word) ?? { unknown: plainLine(word, 100) }),
    ...flags.flatMap(([name, value, meaning]) => {
      const text = attributes[name] ?? ""
      return value.test(text) && !(isSuite && /^\d/.test(text)) ? [meaning] : []
    }),
    // Node: the message.
    ...["failure", "error"].flatMap((name) => {
      const text = attributes[name] ?? ""
      return text === "" || no.test(text) || (isSuite && /^\d/.test(text)) ? [] : (["failed"] as const)
    })
  ]
  if (meanings.includes("failed")) return "failed"
  return meanings.find((one) => typeof one === "object") ?? (meanings.includes("skipped") ? "skipped" : undefined)
}

/** The message of a failure; empty of one without a message; `undefined` of a test that didn't fail. */
const failureOf = ({ attributes, failures, isRerun, isTodo }: Read): string | undefined => {
  if (isTodo) return undefined
  if (failures.length > 0) return failures.filter((failure) => failure !== "").join("\n\n")
  return isRerun || saidIn(attributes) === "failed" ? (attributes["failure"] ?? attributes["error"] ?? "") : undefined
}

const isFailed = (one: Read): boolean => failureOf(one) !== undefined || one.cut !== undefined

const classOf = ({ attributes }: Read): string => attributes["classname"] ?? attributes["class"] ?? ""

/** Tools for JavaScript and others have the file of a test as its class or suite. */
const isFileName = (name: string): boolean =>
  /\.(?:[cm]?[jt]sx?|py|rb|php|dart|feature)$/.test(name) && !/\s/.test(name)

const suitesOf = (suite: Suite | undefined): ReadonlyArray<Suite> =>
  suite === undefined ? [] : [...suitesOf(suite.within), suite]

/** The name of a test in front of its own: of its class, or else of its suites. */
const prefixOf = (one: Read): string => {
  const classname = classOf(one)
  if (classname !== "") return isFileName(classname) ? "" : classname
  const names = suitesOf(one.suite).map(({ attributes }) => attributes["name"]?.trim() ?? "")
  return names.filter((name) => name !== "" && !plainSuite.test(name) && !isFileName(name)).join(" ")
}

const nameOf = ({ attributes }: Read): string => attributes["name"] ?? ""

/** Whether each name of a report repeats that of its class, as its beginning or its end. */
const repeatsClass = (all: ReadonlyArray<Read>): boolean =>
  all.every((one) => {
    const [name, prefix] = [nameOf(one), prefixOf(one)]
    return name === prefix || name.startsWith(`${prefix} `) || name.endsWith(` ${prefix}`)
  })

const fileOf = (one: Read): string | undefined => {
  const suites = suitesOf(one.suite).toReversed()
  return (
    one.attributes["file"] ??
    suites.find(({ attributes }) => attributes["file"] !== undefined)?.attributes["file"] ??
    [classOf(one), ...suites.map(({ attributes }) => attributes["name"] ?? "")].find(isFileName)
  )
}

const deviceOf = ({ properties, suite }: Read, dialect: Dialect | undefined): string | undefined => {
  const suites = suitesOf(suite).toReversed()
  const named = [properties, ...suites.map((one) => one.properties)].flatMap((of) =>
    Object.entries(of).flatMap(([name, value]) => (deviceProperty.test(name) && value !== "" ? [value] : []))
  )
  const known = suite?.attributes["device"] ?? named[0]
  return known ?? (dialect?.namesDevice === true ? suite?.attributes["name"] : undefined)
}

const countIn = (attributes: Attributes, ...names: ReadonlyArray<string>): number =>
  names.reduce((sum, name) => sum + (numberIn(attributes[name]?.replaceAll(",", "")) ?? 0), 0)

const failuresIn = (attributes: Attributes): number =>
  failureCounts.reduce((sum, names) => sum + Math.max(...names.map((name) => countIn(attributes, name))), 0)

const isSame = (one: Read, other: Read): boolean =>
  classOf(one) === classOf(other) && nameOf(one) === nameOf(other) && one.suite === other.suite

/** Test cases with the failures that are their own, though they stand in another. */
const withParts = (all: ReadonlyArray<Read>, part: RegExp | undefined): ReadonlyArray<Read> => {
  if (part === undefined) return all
  const joined: Array<Read> = []
  for (const one of all) {
    const before = joined.at(-1)
    if (
      before !== undefined &&
      isSame(before, one) &&
      one.cut === undefined &&
      one.failures.some((text) => part.test(text))
    )
      before.failures.push(...one.failures)
    else joined.push(one)
  }
  return joined
}

/**
 * The tries of each test together, where the suite shows that test cases of one name are that: Xcode names each, or the
 * counts leave the earlier ones out. All others of one name may be parameters of one test.
 */
const withTries = (all: ReadonlyArray<Read>): ReadonlyArray<Read> => {
  const bySuite = groupedBy(all, ({ suite }) => suite)
  const merged = new Map<Read, ReadonlyArray<Read>>()
  for (const [suite, cases] of bySuite) {
    const groups = [...groupedBy(cases, (one) => JSON.stringify([classOf(one), nameOf(one)])).values()]
    const counts = suite?.attributes ?? {}
    const failed = groups.filter((group) => group.slice(-1).some(isFailed)).length
    const isCountedOnce = numberIn(counts["tests"]) === groups.length && failuresIn(counts) === failed
    for (const group of groups) {
      const isNamed = group.every(({ properties }) => /^(?:First Run|Retry \d+)$/.test(properties["repetition"] ?? ""))
      const last = group.at(-1)
      const isDecided = last !== undefined && (!last.isSkipped || !group.some(isFailed))
      if (isDecided && group.length > 1 && (isCountedOnce || isNamed)) merged.set(last, group.slice(0, -1))
    }
  }
  const earlier = new Set([...merged.values()].flat())
  return all
    .filter((one) => !earlier.has(one))
    .map((one) => {
      const before = merged.get(one) ?? []
      const failures = before.flatMap((other) => failureOf(other) ?? [])
      return {
        ...one,
        earlierFailures: [...failures, ...one.earlierFailures],
        output: [...before, one].map(({ output }) => output).join("")
      }
    })
}

/** Test cases with what `flaky="true"` says: a try failed, and a later one passed. */
const withFlaky = (all: ReadonlyArray<Read>, dialect: Dialect | undefined): ReadonlyArray<Read> =>
  all.map((one) => {
    if (one.attributes["flaky"]?.toLowerCase() !== "true" || one.cut !== undefined || one.isSkipped) return one
    const failure = failureOf(one)
    const counted = failuresIn(one.suite?.attributes ?? {})
    const others = all.filter(
      (other) => other.suite === one.suite && isFailed(other) && other.attributes["flaky"] !== "true"
    )
    const isUncounted =
      failureCounts.flat().some((name) => name in (one.suite?.attributes ?? {})) && counted <= others.length
    if (failure !== undefined && !(dialect?.flakyPassed === true && isUncounted)) return one
    return {
      ...one,
      failures: [],
      earlierFailures: [...one.earlierFailures, failure ?? "The report says that a try failed."]
    }
  })

const fits = (pattern: Pattern | undefined, attributes: Attributes): boolean =>
  Object.entries(pattern ?? {}).every(([name, must]) =>
    must === "missing" ? attributes[name] === undefined : must.test(attributes[name] ?? "\0") && name in attributes
  )

const dialectOf = (root: Attributes, all: ReadonlyArray<Read>): Dialect | undefined => {
  const suites = [...new Set(all.map(({ suite }) => suite?.attributes ?? {}))]
  return dialects.find(({ shownBy }) =>
    shownBy.some(
      ({ everyCase, everySuite, root: ofRoot, someCase, someSuite }) =>
        all.length > 0 &&
        fits(ofRoot, root) &&
        (someSuite === undefined || suites.some((suite) => fits(someSuite, suite))) &&
        (everySuite === undefined || suites.every((suite) => fits(everySuite, suite))) &&
        (someCase === undefined || all.some(({ attributes }) => fits(someCase, attributes))) &&
        (everyCase === undefined || all.every(({ attributes }) => fits(everyCase, attributes)))
    )
  )
}

/**
 * Why a whole report has less than ran, if it counts more tests or failures than it has. The larger count is that of an
 * element, or of the suites in it together.
 */
const lackingIn = (
  file: string,
  roots: ReadonlyArray<Attributes>,
  suites: ReadonlyArray<Suite>,
  has: { readonly tests: number; readonly failures: number; readonly skipped: number },
  dialect: Dialect | undefined
): string | undefined => {
  const within = groupedBy(suites, (suite) => suite.within)
  const below = (above: Suite | undefined, count: (of: Attributes) => number): number =>
    (within.get(above) ?? []).reduce((sum, one) => sum + Math.max(count(one.attributes), below(one, count)), 0)
  const most = (count: (of: Attributes) => number): number =>
    Math.max(
      roots.reduce((sum, one) => sum + count(one), 0),
      below(undefined, count)
    )
  const [failures, tests] = [most(failuresIn), most((of) => countIn(of, "tests"))]
  const isCountedElsewhere = dialect?.countsMore === true
  if (failures > has.failures && (!isCountedElsewhere || has.failures === 0))
    return `the report ${basename(file)} counts ${failures} failures, and has ${has.failures}`
  // Some tools count what was skipped, and leave it out: mocha-junit-reporter.
  const leftOut = Math.max(0, most((of) => countIn(of, "skipped", "disabled")) - has.skipped)
  if (tests <= has.tests + leftOut || isCountedElsewhere) return undefined
  return `the report ${basename(file)} counts ${tests} tests, and has ${has.tests}`
}

const isReport = (root: string): boolean => /^(?:testsuites?|testcase)$/.test(root) || otherRoots.test(root)

/** What stands where a report should: the page or the answer of a server that had an error, or the end of a report. */
const isInPlaceOfReport = (root: string): boolean =>
  root === "html" || /^propert(?:y|ies)$/.test(root) || (meaningOf(root) ?? "passed") !== "passed"

/** The first elements of results that are not read, and what shows a failure in results of any form. */
const unreadRoots = /^(?:catch|catch2testrun|doctest|testexecutions|robot)$/
export const countedFailure =
  /<(?:failure|error|exception)\b|\b(?:status|success)="(?:fail|false)"|"(?:\w*failed\w*|failures)"\s*:\s*[1-9]/i

const reportName = /\.(?:xml|junit|trx)(?:\.(?:gz|zip|zst|xz|bz2|br|lz4|7z))?$/i

const compressedName = /\.(?:zip|zst|xz|bz2|br|lz4|7z)$/i

const beginsAsReport =
  /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:\w+:)?(?:testsuites?|test-?run|test-results|testng-results|assemblies)[\s>]/i

const holdsReport = /<(?:\w+:)?testsuites?[\s>]/i

/** Whether a file is to be read as a report: named on the command line, or one by its name or its beginning. */
export const mayBeReport = ({ isFolder, isNamed, path }: Found): boolean => {
  if (isFolder) return false
  if (reportName.test(path)) return true
  const { kind } = recordingType(path)
  if (kind === "screenshot" || kind === "video") return false
  return (
    (isNamed && ![".log", ".json", ".html", ".md"].includes(extname(path).toLowerCase())) ||
    (isNamed ? holdsReport : beginsAsReport).test(beginningOf(path))
  )
}

/** Where the XML begins in a text: a line of another program may stand before it. `undefined` if there is none. */
const beginOf = (text: string): number | undefined => {
  const first = text.search(/\S/)
  if (/^<(?:\?xml|!|(?:\w+:)?testsuites?\b)/i.test(text.slice(first, first + 200))) return first
  const found = [text.indexOf("<?xml"), text.search(holdsReport)].find((at) => at !== -1)
  return found ?? (first === -1 || text[first] === "<" ? Math.max(0, first) : undefined)
}

/** What XML refuses and tools write: characters, references to them, and text around the report. */
const harmless =
  /^(?:disallowed character\.|malformed character entity|undefined entity|(?:disallowed character in|empty) entity name|text data outside|documents may contain only one root|(?:an|the) XML declaration|XML declaration|expected (?:one of|the name)|did not expect|the string "|(?:version number|encoding value|standalone value) must|processing instructions are not)/

/** What shows that the text before a report is the end of another one. */
const endOfReport = /<\/(?:\w+:)?(?:testsuites?|testcase|failure|error|system-out|system-err)\s*>/i

/** How much of a file is searched for the beginning of its XML. */
const maxBefore = 64 * 1024

/** The name of an element, without its namespace. Tools differ in its capitals. */
const elementOf = ({ name }: { readonly name: string }): string => name.replace(/^\w+:/, "").toLowerCase()

/** The test cases of a report, or the first element of XML that is no report. A fault is reported, with its line. */
const readJUnit = async (file: string, log: ImportLog): Promise<Report | { readonly root: string }> => {
  const all: Array<Read> = []
  const roots: Array<Attributes> = []
  const suites: Array<Suite> = []
  let elementCount = 0
  let root: string | undefined
  let suite: Suite | undefined
  let open: Read | undefined
  /** Test cases that have others in them. */
  const around: Array<Read> = []
  let depth = 0
  let outputDepth: number | undefined
  /** The depths of the open suites and test cases. */
  const depths: Array<number> = []
  /** An element below one of them with a word for its result, or with the name of a test of CTest. */
  let worded: { readonly name: string; readonly depth: number; text: string } | undefined
  let failing:
    | { readonly attribute: string; text: string; readonly isEarlier: boolean; readonly depth: number }
    | undefined
  let fault: { readonly line: number | undefined; readonly reason: string } | undefined

  const parser = new SaxesParser<{ xmlns: false }>({ xmlns: false })
  let hasEntities = false
  parser.on("doctype", (text) => {
    hasEntities = text.includes("<!ENTITY")
  })
  parser.on("error", (error) => {
    const reason = error.message.replace(/^[^a-z]*(?::?\d+:\d+: )?/i, "")
    // An entity that the report declares may be a failure.
    if (!harmless.test(reason) || (hasEntities && reason.startsWith("undefined entity")))
      fault ??= { line: parser.line, reason }
  })
  parser.on("opentag", (tag) => {
    if (fault !== undefined) return
    const name = elementOf(tag)
    const attributes: Attributes = Object.fromEntries(
      Object.entries(tag.attributes).map(([key, value]) => [key.toLowerCase(), withControls(value)])
    )
    depth += 1
    root ??= name
    if (name === "testfunction")
      fault = { line: parser.line, reason: "it is QtTest's own XML; QtTest writes JUnit's with -o FILE,junitxml" }
    // Visual Studio has the counts below its first element.
    if (depth === 1 || name === "resultsummary" || name === "counters") roots.push(attributes)
    const meaning = meaningOf(name)
    const form = caseElements[name]
    worded = undefined
    if (depths.at(-1) === depth - 1 && failing === undefined && isWorded(name)) worded = { name, depth, text: "" }
    if (meaning === "failed") elementCount += 1
    if (open === undefined && isSuite(name, root)) {
      suite = { attributes, properties: {}, within: suite, failures: [] }
      suites.push(suite)
      depths.push(depth)
    } else if (name === "testcase" || form?.needs.some((one) => one in attributes) === true) {
      if (open !== undefined) around.push(open)
      open = caseIn(suite, form === undefined ? attributes : ownAttributes(form, attributes, suite))
      open.isOther = form !== undefined
      depths.push(depth)
    } else if (meaning === "output") outputDepth ??= depth
    else if (failing !== undefined) return
    else if (meaning === "failed" || (meaning?.startsWith("failed") === true && open !== undefined)) {
      const attribute = attributes["message"] ?? attributes["type"] ?? ""
      failing = { attribute, text: "", isEarlier: meaning !== "failed", depth }
      if (open !== undefined) open.isRerun ||= meaning === "failed again"
    } else if (name === "property") {
      const of = open ?? suite
      if (of !== undefined) of.properties[attributes["name"] ?? ""] = attributes["value"] ?? ""
    } else if (open !== undefined && meaning === "skipped") {
      const message = attributes["message"] ?? ""
      const meant = skipMessages.find(([of]) => of.test(message))?.[1]
      if (meant === "failed") open.failures.push(message)
      else if (meant === "unknown") open.attributes = { ...open.attributes, outcome: message }
      else open.isSkipped = true
      open.isTodo = attributes["type"] === "todo" || meant === "todo"
    } else if (open !== undefined && meaning === "unknown") open.attributes = { ...open.attributes, outcome: name }
  })
  const onText = (text: string) => {
    if (fault !== undefined) return
    if (outputDepth !== undefined) {
      if (open !== undefined) open.output += withControls(text)
    } else if (failing !== undefined) failing.text += withControls(text)
    else if (worded !== undefined) worded.text += withControls(text)
    else if (/<(?:\w+:)?testcase[\s>/]/i.test(text)) fault = { line: parser.line, reason: "it has test cases as text" }
  }
  const failed = () => {
    if (failing === undefined) return
    const message = messageOf(failing.attribute, failing.text)
    const of = open ?? suite
    if (of === undefined) all.push(caseIn(undefined, { name: basename(file) }, [message]))
    else if (failing.isEarlier) open?.earlierFailures.push(message)
    else of.failures.push(message)
    failing = undefined
  }
  const ended = (cut?: string) => {
    if (open === undefined) return
    const said = saidIn(open.attributes)
    if (open.isOther && said !== "failed" && wordAttributes.some((name) => name in (open?.attributes ?? {})))
      open.failures = []
    // CTest fails a test whose program is missing.
    if (open.isOther && open.attributes["status"] === "notrun" && !/disabled|skip/i.test(open.output))
      open.attributes = { ...open.attributes, status: "not run, and neither disabled nor skipped" }
    // Flank writes an empty one outside of all suites where no test ran, and TestNG one for each method around tests.
    const isNone =
      open.attributes["is-config"] === "true"
        ? said !== "failed"
        : open.suite === undefined && Object.keys(open.attributes).length === 0 && open.failures.length === 0
    if (!isNone || cut !== undefined) all.push(Object.assign(open, { cut }))
    open = around.pop()
  }
  /** What failed outside of the tests of a suite is a test case of its name. */
  const endedSuite = (one: Suite) => {
    const { attributes, within } = one
    const failures = one.failures.filter((failure) => !failureOfChildren.test(failure))
    const of: Suite = { ...one, attributes: { ...attributes, name: "" } }
    const name = attributes["name"]?.trim() || basename(file)
    if (failures.length > 0) all.push(caseIn(of, { name }, failures))
    else endedWith(attributes, (read) => suitesOf(read.suite).includes(one), of, name)
    suite = within
  }
  /** What the attributes of a suite or a report say of its result, if none of its tests does. */
  const endedWith = (
    attributes: Attributes,
    isIn: (one: Read) => boolean,
    of: Suite | undefined,
    name = basename(file)
  ) => {
    const said = saidIn(attributes, true)
    const isOther = otherRoots.test(root ?? "")
    const isShown = all.some((one) => isIn(one) && (isFailed(one) || typeof saidIn(one.attributes) === "object"))
    // Of these, only the outcome of Visual Studio is that of the run.
    const isWord = said !== "failed" && isOther && !("outcome" in attributes)
    if (isShown || said === undefined || said === "skipped" || isWord) return
    all.push(said === "failed" ? caseIn(of, { name }, [""]) : caseIn(of, { name, status: said.unknown }))
  }
  parser.on("text", onText)
  parser.on("cdata", onText)
  parser.on("closetag", () => {
    if (fault !== undefined) return
    if (failing?.depth === depth) failed()
    if (outputDepth === depth) outputDepth = undefined
    const of = open ?? suite
    if (worded?.depth === depth && of !== undefined && worded.text.trim() !== "")
      of.attributes = {
        ...of.attributes,
        [`${worded.name}${worded.name in of.attributes ? ":" : ""}`]: worded.text.trim()
      }
    worded = undefined
    if (depths.at(-1) === depth) {
      depths.pop()
      if (open === undefined && suite !== undefined) endedSuite(suite)
      else ended()
    }
    depth -= 1
  })

  let before: string | undefined = ""
  let hasZeros = false
  let isBeheaded = false
  const write = (part: string) => {
    hasZeros ||= /\0{4}/.test(part)
    parser.write(part)
  }
  const begin = (isLast: boolean) => {
    if (before === undefined) return
    const at = beginOf(before)
    if (at === undefined && !isLast && before.length < maxBefore) return
    if (at === undefined)
      throw new Error(compressedName.test(file) ? "it is compressed, and only gzip is unpacked" : "it has no XML")
    const skipped = before.slice(0, at)
    if (skipped.trim() !== "") log.note(`${basename(file)}: the text before its XML is not read.`)
    isBeheaded = endOfReport.test(skipped)
    const text = before.slice(at)
    before = undefined
    write(text)
  }
  try {
    for await (const part of textParts(file)) {
      if (before === undefined) write(part)
      else {
        before += part
        if (before.trim() !== "") begin(false)
      }
      if (fault !== undefined || (root !== undefined && !isReport(root))) break
    }
    begin(true)
    if (root !== undefined && !isReport(root)) return { root }
    if (fault === undefined) parser.close()
    // Maven has files that begin so, too.
    if (root !== undefined && otherRoots.test(root) && fault === undefined && all.length === 0) return { root }
    if (fault === undefined && hasZeros) fault = { line: undefined, reason: "it has a row of zeros" }
    if (fault === undefined && isBeheaded) fault = { line: 1, reason: "the beginning of another report is missing" }
  } catch (error) {
    fault ??= { line: undefined, reason: error instanceof Error ? error.message : String(error) }
  }

  const count = all.length
  const cut =
    root === undefined && before !== ""
      ? `the report ${basename(file)} can't be read: ${fault?.reason ?? ""}`
      : `the report ${basename(file)} was cut after ${count} whole test cases`
  const isInCase = open !== undefined
  if (fault !== undefined) {
    const reason = `It is broken here (${fault.reason}); ${count} whole test cases before it were read.`
    log.problem({ file, ...(fault.line === undefined ? {} : { line: fault.line }), reason })
    failed()
    for (let left = around.length; left >= 0; left -= 1) ended(cut)
    for (const one of suitesOf(suite).toReversed()) endedSuite(one)
  }
  if (root !== "testsuite") for (const one of roots) endedWith(one, () => true, undefined)
  const isOther = otherRoots.test(root ?? "")
  const dialect = isOther ? undefined : dialectOf(roots[0] ?? {}, all)
  const saidFailures = all.filter(
    (one) => one.failures.length === 0 && (isFailed(one) || typeof saidIn(one.attributes) === "object")
  ).length
  const skipped = all.filter((one) => one.isSkipped || saidIn(one.attributes) === "skipped").length
  const has = { tests: all.length, failures: elementCount + saidFailures, skipped }
  const cases = withFlaky(withTries(withParts(all, dialect?.partOfBefore)), dialect)
  const isRepeated = dialect?.mayRepeatClass === true && repeatsClass(cases)
  return {
    path: file,
    cases: cases.map((one) => testCaseOf(one, dialect, isRepeated)),
    interruption: fault === undefined || isInCase ? undefined : cut,
    lacking: fault === undefined ? lackingIn(file, roots, suites, has, dialect) : undefined,
    tool: dialect?.tool,
    form: isOther ? root : undefined,
    refusal: undefined
  }
}

const testCaseOf = (one: Read, dialect: Dialect | undefined, isRepeated: boolean): TestCase => {
  const { attributes, cut, earlierFailures, isSkipped, output, properties, suite } = one
  const [failure, prefix, name, said] = [failureOf(one), prefixOf(one), nameOf(one), saidIn(attributes)]
  const word = typeof said === "object" ? said.unknown : attributes["status"]
  const isUnknown = typeof said === "object" || (said === "skipped" && dialect?.unknown?.test(word ?? "") === true)
  const unknownStatus = failure === undefined && !isSkipped && isUnknown ? word : undefined
  const interruption =
    cut ?? (unknownStatus === undefined ? undefined : `${dialect?.tool ?? "the report"} says ${unknownStatus}`)
  return {
    suite: suite?.attributes ?? {},
    attributes,
    properties,
    fullName: prefix === "" || prefix === name || isRepeated ? name : `${prefix} ${name}`.trim(),
    file: fileOf(one),
    device: deviceOf(one, dialect),
    failure,
    earlierFailures,
    output,
    isSkipped: failure === undefined && interruption === undefined && (isSkipped || said === "skipped"),
    interruption,
    unknownStatus
  }
}

/** What is equal in the copies of a test case; `undefined` where nothing shows when it ran. */
const copyOf = (one: TestCase): string | undefined => {
  const { attributes, device, failure, file, fullName, interruption, isSkipped, suite } = one
  const at = attributes["timestamp"] ?? suite["timestamp"]
  if (at === undefined || interruption !== undefined) return undefined
  return JSON.stringify([
    fullName,
    attributes["id"],
    file,
    device,
    at,
    attributes["time"],
    isSkipped,
    failure === undefined
  ])
}

/** The copies of test cases in a report: the second of two equal ones is another test than the first. */
const copiesIn = ({ cases }: Report): ReadonlyArray<string | undefined> => {
  const seen = new Map<string, number>()
  return cases.map((one) => {
    const copy = copyOf(one)
    if (copy === undefined) return undefined
    const nth = (seen.get(copy) ?? 0) + 1
    seen.set(copy, nth)
    return `${nth} ${copy}`
  })
}

/** Reports without what another one has too: a report that was copied, and one that was merged from those of each try. */
export const withoutCopies = (all: ReadonlyArray<Report>): ReadonlyArray<Report> => {
  const read = all.map((report) => ({
    report,
    content: JSON.stringify(report.cases, (key, value: unknown) => (key === "output" ? undefined : value)),
    copies: copiesIn(report)
  }))
  const counts = new Map<string, number>()
  const count = ({ content, copies }: (typeof read)[number], by: 1 | -1) => {
    for (const key of [content, ...copies]) if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + by)
  }
  for (const one of read) count(one, 1)
  const isElsewhere = (key: string | undefined) => key !== undefined && (counts.get(key) ?? 0) > 1
  const copied = new Set<Report>()
  // The merged one has the most.
  for (const one of read.toSorted((a, b) => b.report.cases.length - a.report.cases.length)) {
    const { cases, interruption, lacking } = one.report
    const isTimed = cases.some((test) => (durationMsOf(test) ?? 0) > 0)
    const isCopied = (isTimed && isElsewhere(one.content)) || one.copies.every(isElsewhere)
    if (interruption !== undefined || lacking !== undefined || cases.length === 0 || !isCopied) continue
    copied.add(one.report)
    count(one, -1)
  }
  const seen = new Set<string>()
  return read.flatMap(({ copies, report }) => {
    if (copied.has(report)) return []
    const cases = report.cases.filter((_, index) => !seen.has(copies[index] ?? ""))
    for (const copy of copies) if (copy !== undefined) seen.add(copy)
    return [{ ...report, cases }]
  })
}

/** The command that imports what a tool wrote. */
const importedAs: Readonly<Partial<Record<Dialect["tool"], "Maestro" | "Detox">>> = {
  Maestro: "Maestro",
  "jest-junit": "Detox"
}

/** Why a command doesn't import a report. */
const refusalOf = (
  command: "Maestro" | "Detox" | "JUnit",
  report: Report | { readonly root: string }
): string | undefined => {
  if ("root" in report) return `It is no JUnit report: it begins with <${plainLine(report.root, 50)}>`
  if (command === "JUnit" || report.cases.length === 0) return undefined
  const other = report.tool === undefined ? undefined : importedAs[report.tool]
  if (other === command) return undefined
  return other === undefined
    ? `It is no report of ${command}: slipway-ci import junit --kind ${command.toLowerCase()} imports any JUnit report`
    : `It is no report of ${command} but looks like one of ${other}: slipway-ci import ${other.toLowerCase()}`
}

/** A report that a command imports. Of others, those that the command line names are without test cases. */
export const readReport = async (
  command: "Maestro" | "Detox" | "JUnit",
  { isNamed, path }: Found,
  log: ImportLog
): Promise<Report | undefined> => {
  const report = await readJUnit(path, log)
  const refusal = refusalOf(command, report)
  const isOther = "root" in report
  if (refusal === undefined) return isOther ? undefined : report
  const text = isOther && unreadRoots.test(report.root) ? textIn(path) : undefined
  const isUnread = text !== undefined && (countedFailure.test(text) || !/<\/\w+>\s*$/.test(text))
  const isNeeded = isNamed || (isOther && isInPlaceOfReport(report.root))
  if (isNeeded || isUnread || !isOther) log.problem({ file: path, reason: refusal })
  return isNeeded || isUnread ? refusedReport(path, refusal, isUnread && !isNeeded) : undefined
}

/** A report that isn't imported. What its form alone refuses stands beside reports that are read: it matters where none of them has a failure. */
export const refusedReport = (path: string, refusal: string, isOfForm = true): Report => ({
  path,
  cases: [],
  interruption: undefined,
  lacking: undefined,
  tool: undefined,
  form: isOfForm ? refusal : undefined,
  refusal
})

/**
 * The reports that may lack failures, and why. One that isn't imported is so only beside other results: alone, it ends the
 * command.
 */
export const unknownIn = (
  reports: ReadonlyArray<Report>,
  hasOthers: boolean,
  hasFailure = false
): ReadonlyArray<{ readonly path: string; readonly reason: string }> =>
  reports.flatMap(({ form, interruption, lacking, path, refusal }) => {
    const isRefused = hasOthers && refusal !== undefined && !(hasFailure && form !== undefined)
    const reason = interruption ?? lacking ?? (isRefused ? `${basename(path)}: ${refusal}` : undefined)
    return reason === undefined ? [] : [{ path, reason }]
  })
