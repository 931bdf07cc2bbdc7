/** Runs in a browser: one Lottie animation, without an app. */
import { lottie } from "../packs/lottie.ts"
import type { Fields } from "../runtime/decode.ts"
import { makeNotes } from "../runtime/notes.ts"
import { provideLottie } from "../runtime/provideLottie.ts"
import { sheet } from "../views/stylesheet.ts"

const events: Array<readonly [name: string, payload: Fields]> = []
const notes = makeNotes(document.body)
let props: Fields = {}
provideLottie()
const player = Reflect.get(globalThis, "hasNoPlayer") === true ? undefined : window.lottiePlayer
const drawing = lottie.components?.["LottieAnimationView"]?.({
  tag: 1,
  name: "LottieAnimationView",
  props: () => props,
  emit: (name, payload) => events.push([name, payload]),
  resized: () => {},
  assetUrls: (uri) => ["blob:elsewhere", uri],
  layOutInline: () => {},
  parent: () => undefined,
  notes,
  ...(player === undefined ? {} : { loadLottie: async () => player })
})
if (drawing !== undefined) {
  const style = document.createElement("style")
  style.textContent = sheet
  document.head.append(style)
  drawing.element.setAttribute("style", "position:relative;width:200px;height:100px")
  document.body.append(drawing.element)
  const change = (changes: Fields): void => {
    const before = props
    props = { ...props, ...changes }
    drawing.update?.(props, before)
  }
  const command = (name: string, ...values: ReadonlyArray<unknown>) => drawing.commands?.[name]?.(...values)
  Object.assign(globalThis, { lottieView: { change, command, events } })
}
