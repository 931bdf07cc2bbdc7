/** The commands of Maestro: what a replay does for each, or why it can't. `docs/replay-flows.md` has the same table. */

interface MaestroCommand {
  /** The limits of a command that a replay performs. */
  readonly limits?: string
  /** Why a replay can't perform it. */
  readonly missing?: string
}

const selectors =
  "`id`, `text`, `index`, `point`, `enabled`, `selected`, `checked`, `focused`, `above`, `below`, `leftOf`, `rightOf`, `childOf`, `containsChild`, `containsDescendants`, `width`, `height`, `traits`; not `css`"
const moment = "only marks the moment in the list of steps: a page can’t read the pixels of an app"
const model = "it needs a language model"
const random = "invented, from a short list"
const start = "loads the app again, without its stored data"

export const maestroCommands: Readonly<Record<string, MaestroCommand>> = {
  action: { limits: "`back`, `hideKeyboard`, `scroll`, `pasteText`" },
  addMedia: { missing: "the photo library has three pictures of its own" },
  assertDarkMode: {},
  assertLightMode: {},
  assertNoDefectsWithAI: { missing: model },
  assertNotVisible: { limits: "the selectors of `tapOn`" },
  assertScreenshot: { missing: "a page can’t read the pixels of an app" },
  assertTrue: { limits: "[JavaScript](#javascript)" },
  assertVisible: { limits: "the selectors of `tapOn`" },
  assertWithAI: { missing: model },
  back: { limits: "*Back* of Android; on iOS, the back button of a header" },
  clearKeychain: { limits: start },
  clearState: { limits: start },
  copyTextFrom: { limits: "the selectors of `tapOn`" },
  doubleTapOn: { limits: "the selectors of `tapOn`" },
  eraseText: {},
  evalScript: { limits: "[JavaScript](#javascript)" },
  extendedWaitUntil: { limits: "the selectors of `tapOn`" },
  extractTextWithAI: { missing: model },
  hideKeyboard: {},
  inputRandomCityName: { limits: random },
  inputRandomColorName: { limits: random },
  inputRandomCountryName: { limits: random },
  inputRandomEmail: { limits: random },
  inputRandomNumber: {},
  inputRandomPersonName: { limits: random },
  inputRandomText: {},
  inputText: {},
  killApp: {},
  launchApp: { limits: `${start}; with \`stopApp: false\`, a running app continues; no \`arguments\`` },
  longPressOn: { limits: "the selectors of `tapOn`" },
  openBrowser: { missing: "there is no browser beside the app" },
  openLink: { limits: "opens the link in the app, not in a browser" },
  pasteText: {},
  pressKey: { limits: "`Enter`, `Backspace` and `Back`" },
  repeat: { limits: "at most 100 times" },
  retry: {},
  runFlow: { limits: "[files of the upload](#files-of-a-flow)" },
  runScript: { limits: "[files of the upload](#files-of-a-flow); [JavaScript](#javascript)" },
  scroll: {},
  scrollUntilVisible: { limits: "without `centerElement` and `speed`" },
  setAirplaneMode: { limits: "for recorded responses" },
  setClipboard: { limits: "for `pasteText`" },
  setDarkMode: {},
  setLocation: { missing: "an app in a replay has no position" },
  setOrientation: { limits: "not `UPSIDE_DOWN`" },
  setPermissions: { limits: "all permissions together" },
  startRecording: { limits: moment },
  stopApp: {},
  stopRecording: { limits: moment },
  swipe: {},
  takeScreenshot: { limits: moment },
  tapOn: { limits: selectors },
  toggleAirplaneMode: { limits: "for recorded responses" },
  toggleDarkMode: {},
  travel: { missing: "an app in a replay has no position" },
  waitForAnimationToEnd: {}
}

/** Why a command is skipped; `undefined` for one that a replay performs. */
export const whyMissing = (name: string): string | undefined => {
  const command = Object.hasOwn(maestroCommands, name) ? maestroCommands[name] : undefined
  if (command === undefined) return `${name} is not a command of Maestro`
  return command.missing === undefined ? undefined : `${name} is not supported: ${command.missing}`
}

/** The table of the documentation: commands with the same limits share a row, and those that don't run are last. */
export const commandRows = (): ReadonlyArray<string> => {
  const names = new Map<string, Array<string>>()
  for (const [name, { limits = "none", missing }] of Object.entries(maestroCommands)) {
    const rest = missing === undefined ? `yes | ${limits}` : `no | ${missing}`
    names.set(rest, [...(names.get(rest) ?? []), `\`${name}\``])
  }
  return [...names]
    .map(([rest, commands]) => `| ${commands.join(", ")} | ${rest} |`)
    .toSorted((a, b) => Number(a.includes(" | no | ")) - Number(b.includes(" | no | ")))
}

// What the commands `inputRandom…` type.

const firstNames = ["Ada", "Bilal", "Chiara", "Dele", "Emma", "Farid", "Grace", "Hiro"]
const lastNames = ["Alder", "Berg", "Castro", "Dahl", "Eze", "Fischer", "Garcia", "Hoang"]
const lists: Readonly<Record<string, ReadonlyArray<string>>> = {
  inputRandomCityName: ["Accra", "Bergen", "Cusco", "Dakar", "Esbjerg", "Fukuoka", "Genoa", "Hobart"],
  inputRandomColorName: ["amber", "blue", "cyan", "gold", "green", "indigo", "olive", "teal"],
  inputRandomCountryName: ["Austria", "Brazil", "Chile", "Denmark", "Estonia", "Fiji", "Ghana", "Hungary"]
}

const oneOf = (list: ReadonlyArray<string>): string => list[Math.floor(Math.random() * list.length)] ?? ""

const characters = (count: number, from: string): string =>
  Array.from({ length: count }, () => oneOf([...from])).join("")

/** The text that a command `inputRandom…` types; `undefined` for another command. */
export const randomText = (name: string, length: number): string | undefined => {
  const count = Math.min(1000, Math.max(1, Math.trunc(length) || 8))
  const list = Object.hasOwn(lists, name) ? lists[name] : undefined
  if (list !== undefined) return oneOf(list)
  const [first, last] = [oneOf(firstNames), oneOf(lastNames)]
  if (name === "inputRandomPersonName") return `${first} ${last}`
  if (name === "inputRandomEmail") return `${first}.${last}${characters(4, "0123456789")}@example.com`.toLowerCase()
  if (name === "inputRandomNumber") return characters(1, "123456789") + characters(count - 1, "0123456789")
  return name === "inputRandomText"
    ? characters(count, "abcdefghijklmnopqrstuvwxyz ").replace(/^ | $/g, "a")
    : undefined
}
