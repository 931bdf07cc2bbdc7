import { isDark } from "../runtime/device.ts"
import { showDialog } from "./dialog.ts"
import type { Host } from "./Host.ts"

/** A picture that a person has chosen. */
export interface Picture {
  readonly uri: string
  readonly width: number
  readonly height: number
  readonly fileName: string
  readonly base64: string
}

const samples = { Sunset: ["#ff9a5a", "#5b2a86"], Forest: ["#b8e986", "#1d5b3a"], Sea: ["#a6e1fa", "#0a3d62"] }

const size = { width: 800, height: 600 }

const draw = (name: string, [top = "", bottom = ""]: ReadonlyArray<string>): Picture => {
  const canvas = Object.assign(document.createElement("canvas"), size)
  const context = canvas.getContext("2d")
  if (context !== null) {
    const gradient = context.createLinearGradient(0, 0, 0, size.height)
    gradient.addColorStop(0, top)
    gradient.addColorStop(1, bottom)
    context.fillStyle = gradient
    context.fillRect(0, 0, size.width, size.height)
    context.fillStyle = "#fff"
    context.font = "48px system-ui"
    context.fillText(`${name} (sample picture)`, 40, size.height - 40)
  }
  const uri = canvas.toDataURL("image/jpeg")
  return { ...size, uri, fileName: `${name}.jpg`, base64: uri.slice(uri.indexOf(",") + 1) }
}

/** Lets the person in front of the phone choose one of a few pictures; `undefined` when they choose none. */
export const choosePicture = async ({ surface }: Host): Promise<Picture | undefined> =>
  new Promise((resolve) => {
    showDialog(surface.element, {
      place: "bottom",
      isDark: isDark(),
      title: "Choose a picture",
      message: "A replay has no camera and no photos.",
      choices: [
        ...Object.entries(samples).map(([label, colors]) => ({ label, choose: () => resolve(draw(label, colors)) })),
        { label: "Cancel", style: "cancel" as const, choose: () => resolve(undefined) }
      ]
    })
  })
