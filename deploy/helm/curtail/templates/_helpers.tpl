{{- define "curtail.fullname" -}}
{{- if contains "curtail" .Release.Name -}}
{{- .Release.Name | trunc 45 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-curtail" .Release.Name | trunc 45 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "curtail.selector" -}}
app.kubernetes.io/name: curtail
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "curtail.labels" -}}
{{ include "curtail.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "curtail.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "curtail.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- define "curtail.agentAccount" -}}
{{- .Values.agent.serviceAccount.name | default (printf "%s-agent" (include "curtail.fullname" .)) -}}
{{- end -}}

{{- define "curtail.agentMode" -}}
{{- .Values.agent.mode | default .Values.settings.CURTAIL_MODE | default .Values.settings.CURTAIL_DEFAULT_MODE | default "observe" -}}
{{- end -}}

{{- define "curtail.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /*
A setting as its variable holds it. Helm reads numbers as floats, and would write large ones as 2.6e+08; and what is written
as yes or no, it reads as true or false.
*/ -}}
{{- define "curtail.text" -}}
{{- if kindIs "float64" . -}}{{ int64 . }}
{{- else if kindIs "bool" . -}}{{ ternary "yes" "no" . }}
{{- else -}}{{ toString . }}
{{- end -}}
{{- end -}}
