/**
 * What every component looks like before its own style. Views are where the layout puts them, and none shows through
 * another's order; texts are measured, so their padding stands outside of their width.
 */
export const sheet = `
html, body { height: 100%; margin: 0; overflow: hidden; overscroll-behavior: none; background: #fff }
#root {
  position: absolute; inset: 0; display: block; overflow: hidden; touch-action: none; color: #000;
  font: 14px system-ui, -apple-system, "Helvetica Neue", Roboto, sans-serif; -webkit-tap-highlight-color: transparent;
  -webkit-font-smoothing: antialiased; user-select: none; -webkit-user-select: none; -webkit-text-size-adjust: 100%;
}
:where(#root) { pointer-events: none }
:where(#root) > :where(*) { pointer-events: auto }
.view, .text, .input {
  position: absolute; z-index: 0; box-sizing: border-box; margin: 0; padding: 0; border: 0 solid #000; text-align: start;
}
svg.view { overflow: hidden }
.text { box-sizing: content-box; white-space: pre-wrap; overflow-wrap: break-word; line-height: normal }
.span { white-space: inherit }
.text .view { position: relative; display: inline-block; vertical-align: bottom }
.text .view .view { position: absolute; display: block }
.scroll { overflow: auto; scrollbar-width: none; touch-action: pan-x pan-y; overscroll-behavior: contain }
.scroll::-webkit-scrollbar { display: none }
.scroll[data-indicator] { scrollbar-width: thin }
.picture { overflow: clip }
.picture > .pixels { position: absolute; inset: 0; background: no-repeat 50% / cover }
.input {
  display: block; font: inherit; color: inherit; background: none; outline: 0; resize: none; border-radius: 0;
  appearance: none; user-select: text; -webkit-user-select: text; touch-action: auto;
}
.input::placeholder { color: var(--placeholder, #3c3c434c); opacity: 1 }
textarea.input { overflow: auto; scrollbar-width: none }
.box-none { pointer-events: none }
.box-none > * { pointer-events: auto }
.box-only > * { pointer-events: none !important }
.gone, .gone * { visibility: hidden !important; pointer-events: none !important }
.slop::before { content: ""; position: absolute; z-index: -1; inset: var(--slop) }
.ruler { position: fixed; visibility: hidden; contain: strict; width: 0; height: 0; top: -9999px; font: 14px system-ui, -apple-system, "Helvetica Neue", Roboto, sans-serif }
.unknown { outline: 1px dashed #8a5200; outline-offset: -1px; background: #fff6e3; color: #5c3700; font-size: 11px; overflow: clip }
.unknown > .name { position: absolute; inset: 2px 4px auto; overflow-wrap: anywhere; pointer-events: none }
[tabindex]:focus-visible { outline: 3px solid #0a84ff }
@keyframes phone-turn { to { transform: rotate(1turn) } }
`
