import type { Phone } from "./phone.ts"

/** A step of a test: its name, what it does, and the commands of Maestro that do the same. */
export type TestStep = readonly [
  name: string,
  act: (phone: Phone) => Promise<void>,
  command?: string | object | ReadonlyArray<string | object>
]

const launch: TestStep = [
  "Launch the app",
  async ({ open, see, shoot }) => {
    await open()
    await see("Kilvarra Harbour")
    await shoot("slips")
  },
  ["launchApp", { assertVisible: "Kilvarra Harbour" }]
]

/** `element` is what the test takes for the switch of lengths. */
const showsFeet = (element: string): ReadonlyArray<TestStep> => [
  launch,
  [
    "Open Settings",
    async ({ see, tap }) => {
      await tap("tab-settings")
      await see("Lengths in feet")
    },
    [{ tapOn: { id: "tab-settings" } }, { assertVisible: { id: "feet" } }]
  ],
  [
    "Type the name of the watch",
    ({ type }) => type("officer", "Noor Aziz"),
    [{ tapOn: { id: "officer" } }, "eraseText", { inputText: "Noor Aziz" }, "hideKeyboard"]
  ],
  [
    "Switch to feet",
    async ({ shoot, tap }) => {
      await tap(element)
      await shoot("settings")
    },
    { tapOn: { id: element } }
  ],
  ["Go back to the slips", ({ tap }) => tap("tab-slips"), { tapOn: { id: "tab-slips" } }],
  [
    "Expect lengths in feet",
    async ({ see, shoot }) => {
      // Recorded while it waits, so that it shows what the test saw.
      await shoot("lengths")
      await see(/\d ft$/, ".* ft")
    },
    { assertVisible: ".* ft" }
  ],
  [
    "Open the first slip",
    async ({ see, shoot, tap }) => {
      await tap("slip-a1")
      await see("Ines Halloran")
      await shoot("corncrake")
    },
    [{ tapOn: { id: "slip-a1" } }, { assertVisible: "Ines Halloran" }]
  ]
]

/** The tests that are recorded, by the folders in which what they leave is kept. */
export const tests: Readonly<Record<string, ReadonlyArray<TestStep>>> = {
  gate: [
    launch,
    ["Tap on Gate", ({ tap }) => tap("tab-gate")],
    ["Assert that Gate count is visible", ({ see }) => see("Gate count")],
    ["Tap on Count up", ({ tap }) => tap("count-up")],
    ["Tap on Count up again", ({ tap }) => tap("count-up")],
    ["Tap on Count up a third time", ({ tap }) => tap("count-up")],
    [
      "Assert that 3 is visible",
      async ({ see, shoot }) => {
        await see(/^3$/, "3")
        await shoot("gate")
      }
    ]
  ],
  "feet-passed": showsFeet("feet"),
  // Another switch stands where that of the lengths was, and the test takes it for that one.
  "feet-failed": showsFeet("power-alerts")
}
