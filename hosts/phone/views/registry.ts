import { activityIndicator } from "./activityIndicator.ts"
import type { Component } from "./Component.ts"
import { image } from "./image.ts"
import { inputAccessory } from "./inputAccessory.ts"
import { modal } from "./modal.ts"
import { refreshControl } from "./refreshControl.ts"
import { safeAreaView } from "./safeAreaView.ts"
import { scrollContent, scrollView } from "./scrollView.ts"
import { toggle } from "./switch.ts"
import { characters, span, text } from "./text.ts"
import { multilineInput, singleLineInput } from "./textInput.ts"
import { transparent, view } from "./view.ts"

/** The components of React Native itself, by the names that its renderer has for them, without `RCT`. */
export const components: Readonly<Record<string, Component>> = {
  View: view,
  Text: text,
  SelectableText: text,
  VirtualText: span,
  RawText: characters,
  ImageView: image,
  ScrollView: scrollView,
  ScrollContentView: scrollContent,
  RefreshControl: refreshControl,
  PullToRefreshView: refreshControl,
  SinglelineTextInputView: singleLineInput,
  MultilineTextInputView: multilineInput,
  Switch: toggle,
  ActivityIndicatorView: activityIndicator,
  ModalHostView: modal,
  SafeAreaView: safeAreaView,
  InputAccessoryView: inputAccessory,
  LayoutConformance: transparent,
  DebuggingOverlay: view,
  VirtualView: view,
  VirtualViewExperimental: view
}

/** A component's name without what the renderer may put before it. */
export const shortName = (name: string): string => name.replace(/^RCT(?=[A-Z])/, "")
