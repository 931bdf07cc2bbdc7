/** What moves. */
import { both, draws, of, reads, shown, tapped, reports, transforms, wheel, type Claim, type Table } from "./claims.ts"

const moves = (name: string, by = 50): Claim => both(tapped(`${name} true`), transforms(1, 0, 0, 1, by, 0))

const players = [
  "timing",
  "timing: delay",
  "timing: easing",
  "timing: without the driver",
  "spring",
  "spring: stiffness",
  "spring: tension",
  "sequence",
  "parallel",
  "stagger",
  "loop",
  "setValue",
  "setOffset",
  "flattenOffset",
  "extractOffset",
  "addListener",
  "stopAnimation",
  "resetAnimation"
]

const easings = [
  "back",
  "bezier",
  "bounce",
  "circle",
  "cubic",
  "ease",
  "elastic",
  "exp",
  "in",
  "inOut",
  "linear",
  "out",
  "poly",
  "quad",
  "sin",
  "step0",
  "step1"
]

const animated: Table = {
  ...Object.fromEntries(players.map((name) => [name, moves(name)])),
  decay: tapped("decay true"),
  removeListener: reports("listened true"),
  removeAllListeners: reports("listened true"),
  "start, finished": reports("stopped true", "stopped at number", "reset from 50"),
  add: both(of("move them", tapped("moved them")), transforms(1, 0, 0, 1, 55, 0)),
  subtract: transforms(1, 0, 0, 1, 45, 0),
  multiply: transforms(1, 0, 0, 1, 250, 0),
  divide: transforms(1, 0, 0, 1, 10, 0),
  modulo: transforms(1, 0, 0, 1, 20, 0),
  diffClamp: transforms(1, 0, 0, 1, 10, 0),
  interpolate: transforms(1, 0, 0, 1, 70, 0),
  ValueXY: both(of("move both ways", tapped("moved both ways")), transforms(1, 0, 0, 1, 30, 6)),
  event: both(wheel(0, 40), of("followed", transforms(1, 0, 0, 1, 40, 0))),
  Text: reads("text"),
  Image: shown,
  FlatList: of("in the list", reads("of a list")),
  createAnimatedComponent: both(of("shade", tapped("shaded")), draws({ opacity: "0.5" })),
  colours: draws({ backgroundColor: "rgb(0, 0, 255)" }),
  ...Object.fromEntries(easings.map((name) => [`Easing.${name}`, moves(`Easing.${name}`)]))
}

const layoutAnimation: Table = Object.fromEntries(
  [
    "Presets.easeInEaseOut",
    "Presets.linear",
    "Presets.spring",
    "create: opacity",
    "create: scaleXY",
    "configureNext"
  ].map((name, at) => [name, both(tapped(`ended ${name}`), of(`made ${at + 1}`, shown))])
)

export const motion: Readonly<Record<string, Table>> = { animated, "layout-animation": layoutAnimation }
