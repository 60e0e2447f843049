"""The template serves My tickets to whoever the identity provider knows, and to nobody else."""

import json
import re

from infrastructure.template import SAM, TRANSLATED, get_att, of_type, properties


def test_there_is_an_api_only_with_functions_and_an_identity_provider():
    conditions = SAM["Conditions"]
    both = [{"Condition": "Computes"}, {"Condition": "SignsIn"}]
    assert conditions["ServesHolders"] == {"Fn::And": both}
    assert conditions["SignsIn"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "JwtIssuer"}, ""]}]}
    assert [SAM["Parameters"][name]["Default"] for name in ("JwtIssuer", "JwtAudience")] == ["", ""]
    serving = {name for name, r in TRANSLATED.items() if r.get("Condition") == "ServesHolders"}
    assert serving == {
        "MyTicketsApi", "MyTicketsApiApiGatewayDefaultStage", "MyTicketsApiMayInvoke",
        "MyTicketsFailuresAlarm",
    }  # fmt: skip
    assert SAM["Outputs"]["MyTicketsApiUrl"]["Condition"] == "ServesHolders"


def test_an_issuer_without_an_audience_is_refused():
    """API Gateway would take any token of the issuer's whose audience is an empty text."""
    (rule,) = SAM["Rules"].values()
    assert rule["RuleCondition"] == SAM["Conditions"]["SignsIn"]
    (assertion,) = rule["Assertions"]
    given = {"Fn::Not": [{"Fn::Equals": [{"Ref": "JwtAudience"}, ""]}]}
    assert assertion["Assert"] == given


def test_every_route_asks_for_a_token_of_the_issuer_for_the_audience():
    body = of_type("AWS::ApiGatewayV2::Api")["MyTicketsApi"]["Body"]
    assert {path: set(methods) for path, methods in body["paths"].items()} == {"/tickets": {"get"}}
    assert body["paths"]["/tickets"]["get"]["security"] == [{"IdentityProvider": []}]
    (scheme,) = body["components"]["securitySchemes"].values()
    assert scheme["x-amazon-apigateway-authorizer"] == {
        "type": "jwt",
        "identitySource": "$request.header.Authorization",
        "jwtConfiguration": {"issuer": {"Ref": "JwtIssuer"}, "audience": [{"Ref": "JwtAudience"}]},
    }
    integration = body["paths"]["/tickets"]["get"]["x-amazon-apigateway-integration"]
    assert integration["payloadFormatVersion"] == "2.0"
    assert "${MyTicketsFunction.Arn}" in integration["uri"]["Fn::Sub"]


def test_the_api_alone_may_call_the_function_and_by_that_route_only():
    permission = properties("MyTicketsApiMayInvoke")
    assert permission["FunctionName"] == {"Ref": "MyTicketsFunction"}
    assert permission["Principal"] == "apigateway.amazonaws.com"
    assert permission["SourceArn"]["Fn::Sub"].endswith(":${MyTicketsApi}/*/GET/tickets")


def test_the_api_is_throttled_and_its_log_tells_of_nobody():
    (stage,) = of_type("AWS::ApiGatewayV2::Stage").values()
    limits = stage["DefaultRouteSettings"]
    assert 0 < limits["ThrottlingRateLimit"] <= limits["ThrottlingBurstLimit"]
    logged = stage["AccessLogSettings"]
    assert logged["DestinationArn"] == get_att("MyTicketsApiLogGroup")
    # https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html
    used = set(re.findall(r"\$context\.([A-Za-z.]+)", logged["Format"]))
    assert used == set(re.findall(r"\$([A-Za-z.]+)", logged["Format"].replace("$context.", "$")))
    assert used == {
        "requestId", "requestTime", "routeKey", "status", "responseLength", "responseLatency",
        "error.responseType", "integrationStatus",
    }  # fmt: skip
    assert set(json.loads(logged["Format"])) >= {"requestId", "status", "error"}
