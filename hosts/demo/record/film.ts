import type { Browser } from "playwright-core"
import { screen, type Frame } from "./phone.ts"

/** The video is smaller than the screen, as it is to be downloaded with the source. */
const picture = { width: Math.round(screen.width * 0.8), height: Math.round(screen.height * 0.8) }
const bitsPerSecond = 220_000

/** Makes a video of frames, in a browser as it has a recorder: it takes as long as the video does. */
export const filmOf = async (browser: Browser, frames: ReadonlyArray<Frame>, length: number): Promise<Uint8Array> => {
  const page = await browser.newPage()
  const base64 = await page.evaluate(
    async ({ bitsPerSecond, frames, length, picture }) => {
      const drawn = await Promise.all(
        frames.map(async ({ jpeg, t }) => {
          const bytes = Uint8Array.from(atob(jpeg), (one) => one.charCodeAt(0))
          return { t, image: await createImageBitmap(new Blob([bytes], { type: "image/jpeg" })) }
        })
      )
      const canvas = document.createElement("canvas")
      Object.assign(canvas, picture)
      const context = canvas.getContext("2d")
      if (context === null) throw new Error("there is nothing to draw on")
      context.fillStyle = "#fff"
      context.fillRect(0, 0, picture.width, picture.height)
      const recorder = new MediaRecorder(canvas.captureStream(25), {
        mimeType: "video/webm;codecs=vp9",
        videoBitsPerSecond: bitsPerSecond
      })
      const chunks: Array<Blob> = []
      recorder.ondataavailable = ({ data }) => chunks.push(data)
      const stopped = new Promise((resolve) => {
        recorder.onstop = resolve
      })
      recorder.start()
      const began = performance.now()
      await new Promise<void>((resolve) => {
        const draw = () => {
          const t = performance.now() - began
          const frame = drawn.findLast((one) => one.t <= t)
          // Drawn again though nothing moved, as a recorder only keeps what is drawn.
          if (frame !== undefined) context.drawImage(frame.image, 0, 0, picture.width, picture.height)
          if (t < length) requestAnimationFrame(draw)
          else resolve()
        }
        draw()
      })
      recorder.stop()
      await stopped
      const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer())
      return btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(""))
    },
    { bitsPerSecond, frames, length, picture }
  )
  await page.close()
  return new Uint8Array(Buffer.from(base64, "base64"))
}
