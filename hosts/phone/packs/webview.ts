import type { Pack } from "../modules/Host.ts"
import { fieldsIn, textIn } from "../runtime/decode.ts"
import { type Component, element } from "../views/Component.ts"
import { labelled } from "../views/view.ts"

/** What a page in a web view finds, and what runs the app's scripts in it. */
const bridge = (id: string, before: string): string => `<script>
window.ReactNativeWebView={postMessage:function(data){parent.postMessage({webview:${JSON.stringify(id)},data:String(data)},"*")}}
addEventListener("message",function(event){if(event.source===parent&&event.data&&event.data.webview===${JSON.stringify(id)})(0,eval)(event.data.script)})
${before.replaceAll("</", "<\\/")}
</script>`

/**
 * A page of HTML in a frame of its own, with less rights than the app: it has scripts, and no origin. Addresses aren't
 * opened, because an app in a replay has no network.
 */
const page: Component = (own) => {
  const frame = document.createElement("iframe")
  const label = labelled("")
  const drawn = element("view", label, frame)
  label.style.cssText = frame.style.cssText = "position:absolute;inset:0;width:100%;height:100%;border:0"
  frame.setAttribute("sandbox", "allow-scripts")
  const id = crypto.randomUUID()
  let source: unknown

  const navigation = (isLoading: boolean) => ({
    url: "about:blank",
    title: "",
    loading: isLoading,
    canGoBack: false,
    canGoForward: false,
    lockIdentifier: 0
  })
  const run = (script: unknown): void => {
    if (typeof script === "string") frame.contentWindow?.postMessage({ webview: id, script }, "*")
  }
  const listen = ({ data, source: from }: MessageEvent): void => {
    const message = fieldsIn(data)
    if (from !== frame.contentWindow || message["webview"] !== id) return
    own.emit("topMessage", { ...navigation(false), data: textIn(message["data"]) ?? "" })
  }
  window.addEventListener("message", listen)
  frame.addEventListener("load", () => {
    if (frame.srcdoc === "") return
    run(own.props()["injectedJavaScript"])
    own.emit("topLoadingFinish", navigation(false))
  })

  const load = (): void => {
    const { html, uri } = fieldsIn(source)
    const isPage = typeof html === "string"
    frame.hidden = !isPage
    label.hidden = isPage
    own.emit("topLoadingStart", { ...navigation(true), navigationType: "other" })
    if (isPage) {
      frame.srcdoc = bridge(id, textIn(own.props()["injectedJavaScriptBeforeContentLoaded"]) ?? "") + html
      return
    }
    const text = label.firstElementChild
    if (text !== null) text.textContent = `Web page: ${textIn(uri) ?? "none"}`
    own.notes.line(`The app opens ${String(uri)} in a web view; a replay has no network.`)
    own.emit("topLoadingFinish", { ...navigation(false), url: textIn(uri) ?? "" })
  }

  return {
    element: drawn,
    update: (props) => {
      const next = props["newSource"] ?? props["source"]
      if (JSON.stringify(next) === JSON.stringify(source)) return
      source = next
      queueMicrotask(load)
    },
    unmounted: () => window.removeEventListener("message", listen),
    commands: {
      injectJavaScript: run,
      postMessage: (data) => run(`dispatchEvent(new MessageEvent("message",{data:${JSON.stringify(String(data))}}))`),
      reload: load,
      goBack: () => {},
      goForward: () => {},
      stopLoading: () => {},
      requestFocus: () => frame.focus()
    }
  }
}

/** react-native-webview */
export const webview: Pack = {
  components: { RNCWebView: page },
  partial: () => ({ RNCWebViewModule: { shouldStartLoadWithLockIdentifier: () => {} } })
}
