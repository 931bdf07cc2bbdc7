import { devices, type DeviceName } from "../../phone/settings/settings.ts"
import { make, part } from "../ui/dom.ts"
import { gridCells, type Cell } from "./gridCells.ts"

/** How large the devices of the grid are drawn. */
const scale = 0.46

/** The same app on several devices side by side, each as `newFrame` makes it. */
export const makeGrid = (newFrame: (cell: Cell) => HTMLIFrameElement) => {
  const grid = part(document, ".grid", HTMLElement)

  const figureOf = (cell: Cell): HTMLElement => {
    const { device } = cell.settings
    const { height, width } = devices[device ?? "iphone-17"]
    const screen = make("div", "screen")
    screen.dataset["shown"] = "fitted"
    screen.style.setProperty("--width", String(cell.isTurned === true ? height : width))
    screen.style.setProperty("--height", String(cell.isTurned === true ? width : height))
    screen.style.setProperty("--scale", String(scale))
    screen.append(newFrame(cell))
    const figure = make("figure")
    figure.append(screen, make("figcaption", "", cell.label))
    return figure
  }

  const close = (): void => {
    grid.hidden = true
    grid.replaceChildren()
  }

  return {
    open: (device: DeviceName): void => {
      grid.replaceChildren(...gridCells(device).map(figureOf))
      grid.hidden = false
      grid.scrollIntoView({ block: "nearest" })
    },
    close
  }
}
